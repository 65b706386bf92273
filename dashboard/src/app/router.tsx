/** The addresses of the dashboard. What stands behind ? is plain text, so that a link can be read and typed. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { NotFound } from '../shell/not-found.tsx'
import { PageFailed } from '../shell/page-failed.tsx'
import { Shell } from '../shell/shell.tsx'
import { PageSkeleton } from '../ui/skeleton.tsx'
import { PAGES } from './pages.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const routes = PAGES.map(page =>
  createRoute({
    getParentRoute: () => root,
    path: page.path,
    component: lazyRouteComponent(page.load),
  }),
)

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/dashboard',
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 200,
  defaultErrorComponent: ({ error }) => <PageFailed error={error} />,
  parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: search => {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(search))
      if (value !== undefined && value !== '') params.set(name, String(value))
    return params.size === 0 ? '' : `?${params}`
  },
})
