/** Around every page: the rail, the top bar, the palette and the keys. */
import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { Palette } from './palette.tsx'
import { Rail, RailSheet } from './rail.tsx'
import { ShortcutsHelp } from './shortcuts-help.tsx'
import { TopBar } from './top-bar.tsx'
import { useShortcuts } from './use-shortcuts.ts'

export function Shell() {
  const [open, setOpen] = useState<'palette' | 'help' | 'rail'>()
  const close = () => setOpen(undefined)
  useShortcuts({ palette: () => setOpen('palette'), help: () => setOpen('help') })
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-control bg-accent px-3 py-2 text-accent-text focus:translate-y-0"
      >
        Skip to the content
      </a>
      <Rail />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar onSearch={() => setOpen('palette')} onMenu={() => setOpen('rail')} />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <Outlet />
        </main>
      </div>
      <RailSheet isOpen={open === 'rail'} onClose={close} />
      {open === 'palette' && <Palette onClose={close} />}
      <ShortcutsHelp isOpen={open === 'help'} onClose={close} />
    </div>
  )
}
