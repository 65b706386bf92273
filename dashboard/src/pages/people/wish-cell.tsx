/** One switch of the grid: what holds, whether the person chose it, and a way back to the default. */
import { RotateCcw } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Switch } from '../../ui/field.tsx'
import { Hint } from '../../ui/hint.tsx'
import type { Wish } from './preference-words.ts'

interface WishCellProps {
  label: string
  wish: Wish
  disabled: boolean
  /** Always sent, whatever anybody chose. */
  isRequired?: boolean
  onChange(isOn: boolean | null): void
}

export function WishCell({ label, wish, disabled, isRequired = false, onChange }: WishCellProps) {
  if (isRequired)
    return (
      <Hint text="People always get this category.">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reason must be reachable with the keyboard */}
        <span tabIndex={0} className="inline-flex h-7 items-center text-sm text-muted">
          always
        </span>
      </Hint>
    )
  return (
    <span className="flex h-7 items-center gap-1">
      <span className={classes('flex', !wish.isOwn && 'opacity-55')}>
        <Switch label={label} isOn={wish.isOn} disabled={disabled} onChange={onChange} />
      </span>
      <span className="inline-grid size-6 place-items-center">
        {wish.isOwn && (
          <IconButton
            label={`Chosen by the person. Back to the default, which is ${wish.isOnByDefault ? 'on' : 'off'}`}
            className="size-6!"
            disabled={disabled}
            onClick={() => onChange(null)}
          >
            <RotateCcw size={12} />
          </IconButton>
        )}
      </span>
    </span>
  )
}
