/** What menus and dialogs appear in: made where it is needed first, and from then on there. */
import type { CarillonInboxOverlay } from './carillon-inbox-overlay.ts'

export async function loadOverlay(parent: ParentNode): Promise<CarillonInboxOverlay> {
  await import('./carillon-inbox-overlay.ts')
  const found = parent.querySelector('carillon-inbox-overlay') as CarillonInboxOverlay | null
  if (found !== null) return found
  const overlay = document.createElement('carillon-inbox-overlay') as CarillonInboxOverlay
  overlay.setAttribute('exportparts', 'menu, menu-item, shortcuts')
  parent.append(overlay)
  return overlay
}
