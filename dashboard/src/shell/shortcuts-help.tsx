import { PAGES } from '../app/pages.ts'
import { Dialog } from '../ui/dialog.tsx'

const KEYS: [keys: string, what: string][] = [
  ['Ctrl K', 'Search, or go anywhere'],
  ['/', 'Search in the list'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['e', 'Explain the row'],
  ['r', 'Replay the row'],
  ['Esc', 'Close'],
  ['?', 'Show this'],
]

export function ShortcutsHelp({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const pages = PAGES.filter(({ rail }) => rail?.letter).map(({ rail, title }): [string, string] => [
    `g ${rail!.letter}`,
    title,
  ])
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-x-8 gap-y-1 sm:grid-cols-2">
        {[KEYS, pages].map(list => (
          <dl key={list[0]?.[0]} className="flex flex-col gap-1">
            {list.map(([keys, what]) => (
              <div key={keys} className="flex min-h-7 items-center justify-between gap-4">
                <dt>{what}</dt>
                <dd className="flex gap-1">
                  {keys.split(' ').map(key => (
                    <kbd
                      key={key}
                      className="rounded-control border border-border bg-bg px-1.5 py-px font-mono text-sm"
                    >
                      {key}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        ))}
      </div>
    </Dialog>
  )
}
