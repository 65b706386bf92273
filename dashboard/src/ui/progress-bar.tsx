/** How far something is that takes a while. */
interface ProgressBarProps {
  label: string
  value: number
  max: number
}

const say = (count: number) => count.toLocaleString('en')

export function ProgressBar({ label, value, max }: ProgressBarProps) {
  const share = max === 0 ? 1 : Math.min(value / max, 1)
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-between gap-3 text-sm text-muted tabular">
        <span>{label}</span>
        <span>
          {say(value)} of {say(max)}
        </span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        className="h-2 overflow-hidden rounded-full bg-idle-soft"
      >
        <div
          style={{ width: `${share * 100}%` }}
          className="h-full rounded-full bg-accent transition-[width] motion-reduce:transition-none"
        />
      </div>
    </div>
  )
}
