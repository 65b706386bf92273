import { Link, useMatches } from '@tanstack/react-router'
import { ChevronRight, Menu as MenuIcon, Search } from 'lucide-react'
import { pageAt } from '../app/pages.ts'
import { IconButton } from '../ui/button.tsx'
import { LiveMark } from './live-mark.tsx'

export function TopBar({ onSearch, onMenu }: { onSearch(): void; onMenu(): void }) {
  return (
    <header className="sticky top-0 z-20 flex h-12 shrink-0 items-center gap-3 border-b border-border bg-surface px-4 md:px-6">
      <div className="-ml-2 md:hidden">
        <IconButton label="Pages" onClick={onMenu}>
          <MenuIcon size={16} />
        </IconButton>
      </div>
      <Breadcrumb />
      <LiveMark />
      <button
        type="button"
        onClick={onSearch}
        className="flex h-8 items-center gap-2 rounded-control border border-control bg-surface px-2.5 text-muted hover:bg-hover md:w-64"
      >
        <Search size={14} aria-hidden="true" />
        <span className="max-md:sr-only">Search</span>
        <kbd className="ml-auto font-sans text-xs max-md:hidden">Ctrl K</kbd>
      </button>
    </header>
  )
}

function Breadcrumb() {
  const path = useMatches().at(-1)?.routeId ?? '/'
  const page = pageAt(path)
  const parent = page?.parent === undefined ? undefined : pageAt(page.parent)
  return (
    <nav aria-label="Where you are" className="flex min-w-0 flex-1 items-center gap-1 text-muted">
      {parent && (
        <>
          <Link to={parent.path} className="cut hover:text-text hover:underline">
            {parent.title}
          </Link>
          <ChevronRight size={14} aria-hidden="true" className="shrink-0" />
        </>
      )}
      <span className="cut" aria-current="page">
        {page?.title}
      </span>
    </nav>
  )
}
