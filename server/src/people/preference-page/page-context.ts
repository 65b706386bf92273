/** In whose name and language a page speaks. */
import { loadPageBrand } from '../../content/branding/page-brand.ts'
import type { PersonClaim } from '../../content/signed-links/signed-links.ts'
import { createPageTexts, loadPageTexts } from '../../content/translations/page-texts.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { PageContext } from './frame.ts'
import { selectFallbackLocale, selectPerson } from './queries.ts'

/**
 * The person's language; of somebody who has none, or is gone, those that the browser asks for. Without a claim nobody
 * knows whose link it was, so the page has no brand.
 */
export async function loadContext(
  db: Executor,
  claim: PersonClaim | undefined,
  browserLanguages: string[],
): Promise<PageContext> {
  const fallback = claim && (await selectFallbackLocale(db, claim.tenant_id))
  if (claim === undefined || fallback === undefined)
    return { texts: createPageTexts([], browserLanguages), brand: undefined }
  const { tenant_id, user_id } = claim
  const locale = (await selectPerson(db, tenant_id, user_id))?.locale ?? ''
  const wished = locale === '' ? browserLanguages : [locale]
  return {
    texts: await loadPageTexts(db, tenant_id, wished, fallback),
    brand: await loadPageBrand(db, tenant_id),
  }
}
