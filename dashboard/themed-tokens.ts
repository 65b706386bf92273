/** The tokens of all surfaces, for a page whose visitor may choose a theme of their own over the system's. */
import type { Plugin } from 'vite'

export function themedTokens(): Plugin {
  return {
    name: 'themed-tokens',
    enforce: 'pre',
    transform: {
      filter: { id: /styles\/tokens\.css$/ },
      handler(source) {
        const [light, dark] = [...source.matchAll(/:root\s*{([^}]*)}/g)].map(match => match[1])
        if (dark === undefined) throw new Error('tokens.css has no dark colours where they were.')
        return `:root{${light}}@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{${dark};color-scheme:dark}`
      },
    },
  }
}
