import { Link, type LinkProps } from '@tanstack/react-router'
import { type ComponentProps, type MouseEvent, type ReactNode, useState } from 'react'
import { classes } from './classes.ts'
import { Hint } from './hint.tsx'

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-control font-medium whitespace-nowrap select-none transition-colors disabled:opacity-50 aria-disabled:opacity-50'
const KINDS = {
  primary: 'bg-accent text-accent-text hover:brightness-110 border border-transparent',
  secondary: 'bg-surface text-text border border-control hover:bg-hover',
  quiet: 'text-muted border border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-surface text-bad border border-bad hover:bg-bad-soft',
} as const
const SIZES = { normal: 'h-8 px-3 text-base', small: 'h-7 px-2 text-sm', icon: 'size-8 text-base' } as const

interface Look {
  kind?: keyof typeof KINDS
  size?: keyof typeof SIZES
}

export interface ButtonProps extends ComponentProps<'button'>, Look {
  isBusy?: boolean
  /** Why it cannot be pressed now; it stays reachable, so that the reason can be read. */
  refusal?: string | false | undefined
}

/** What its press begins is over before it can be pressed again, if the handler answers with a promise. */
export function Button({
  kind = 'secondary',
  size = 'normal',
  isBusy = false,
  refusal,
  className,
  onClick,
  ...props
}: ButtonProps) {
  const [isWorking, setWorking] = useState(false)
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    const work: unknown = onClick?.(event)
    if (!(work instanceof Promise)) return
    setWorking(true)
    void work.finally(() => setWorking(false))
  }
  const isTaken = isBusy || isWorking
  const button = (
    <button
      type="button"
      {...props}
      onClick={refusal ? event => event.preventDefault() : press}
      aria-disabled={refusal ? true : props['aria-disabled']}
      disabled={props.disabled || isTaken}
      aria-busy={isTaken || undefined}
      className={classes(BASE, KINDS[kind], SIZES[size], isTaken && 'animate-pulse', className)}
    />
  )
  return refusal ? <Hint text={refusal}>{button}</Hint> : button
}

export function LinkButton({
  kind = 'secondary',
  size = 'normal',
  className,
  ...props
}: LinkProps & Look & { className?: string; children?: ReactNode }) {
  return <Link {...props} className={classes(BASE, KINDS[kind], SIZES[size], className)} />
}

/** A picture alone; its label is read aloud and shown on hover. */
export function IconButton({ label, ...props }: ButtonProps & { label: string }) {
  return (
    <Hint text={label}>
      <Button kind="quiet" size="icon" aria-label={label} {...props} />
    </Hint>
  )
}
