/** Light, dark or as the system has it; remembered on this device. */
import { useSyncExternalStore } from 'react'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'carillon-theme'
const listeners = new Set<() => void>()

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find(theme => theme === kept) ?? 'auto'
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export function applyTheme(): void {
  const theme = readTheme()
  if (theme === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

const system = matchMedia('(prefers-color-scheme: dark)')

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme)

/** For what draws its own colours: charts and editors. */
export const useIsDark = (): boolean =>
  useSyncExternalStore(subscribe, () => (readTheme() === 'auto' ? system.matches : readTheme() === 'dark'))
