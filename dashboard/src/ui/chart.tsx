/** Lines and stacked bars over time. The library is loaded with the first chart. */
import { lazy, Suspense } from 'react'
import { Skeleton } from './skeleton.tsx'
import type { ChartProps } from './time-chart.tsx'

/** Chromium without a language calls it en-US@posix, with which the library would not even load. */
function nameLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  }
}

const TimeChart = lazy(() => {
  nameLanguage()
  return import('./time-chart.tsx')
})

export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton className="h-48 w-full" />}>
      <TimeChart {...props} />
    </Suspense>
  )
}
