/**
 * What a server that renders pages loads instead of the element: it has no elements, and the page's browser makes them. The
 * class is there by name, so that an import of it is no mistake.
 */
export const CarillonInbox = undefined
