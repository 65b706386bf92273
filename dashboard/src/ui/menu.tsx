import { DropdownMenu } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'

export interface MenuItem {
  label: ReactNode
  onSelect(): void
  isDangerous?: boolean
  disabled?: boolean
  /** Ticked, in a menu that chooses one of several. */
  isChosen?: boolean
}

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement
  /** false draws a line. */
  items: (MenuItem | false)[]
  header?: ReactNode
  align?: 'start' | 'end'
}

export const POPOVER = 'z-50 rounded-card border border-border bg-raised p-1 shadow-popover'

export function Menu({ trigger, items, header, align = 'end' }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={classes(
            POPOVER,
            'max-h-[min(24rem,var(--radix-dropdown-menu-content-available-height))] min-w-44 overflow-y-auto',
          )}
        >
          {header && <div className="px-2 py-1.5 text-sm text-muted">{header}</div>}
          {items.map((item, i) =>
            item === false ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing else
              <DropdownMenu.Separator key={i} className="my-1 h-px bg-border" />
            ) : (
              <DropdownMenu.Item
                // biome-ignore lint/suspicious/noArrayIndexKey: the items of a menu do not move
                key={i}
                disabled={item.disabled ?? false}
                onSelect={item.onSelect}
                className={classes(
                  'flex min-h-7 cursor-default items-center gap-2 rounded-control px-2 outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover',
                  item.isDangerous && 'text-bad',
                )}
              >
                {item.isChosen !== undefined && (
                  <span className="w-3 text-accent" aria-hidden={!item.isChosen}>
                    {item.isChosen ? '✓' : ''}
                  </span>
                )}
                {item.label}
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
