/** What all of a tenant's pages have: its brand above, the language, and one style sheet. */
import type { PageBrand } from '../../content/branding/page-brand.ts'
import type { PageTexts } from '../../content/translations/page-texts.ts'
import type { Document } from '../../platform/pages/document.ts'
import { loadStyle } from '../../platform/pages/stylesheet.ts'
import { type Html, html } from '../../platform/text/html.ts'

const STYLE = loadStyle('preference-page')

export interface PageContext {
  texts: PageTexts
  /** undefined when nobody knows whose page it is. */
  brand: PageBrand | undefined
}

export function frame({ texts, brand }: PageContext, title: string, body: Html): Document {
  return {
    title: brand?.name === undefined ? title : `${title} · ${brand.name}`,
    locale: texts.locale,
    direction: texts.direction,
    style: STYLE,
    brandStyle: brand?.style ?? '',
    imageUrl: brand?.logo_url ?? null,
    body: html`${brand !== undefined && brandRow(brand)}<main>
${body}
</main>`,
  }
}

function brandRow({ name, logo_url, website_url }: PageBrand): Html {
  if (name === undefined && logo_url === null) return html``
  const shown =
    logo_url === null
      ? html`<bdi>${name ?? ''}</bdi>`
      : html`<img src="${logo_url}" alt="${name ?? ''}" height="36">`
  return html`<header class="brand">${website_url === null ? shown : html`<a href="${website_url}" rel="noreferrer">${shown}</a>`}</header>
`
}
