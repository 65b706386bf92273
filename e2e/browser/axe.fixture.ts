/** What somebody with a screen reader or poor sight would stumble over. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * `without`: what has tests of its own. `only`: these rules and no others. Pages are live: a row that arrives while axe
 * measures moves what is below it onto other colours, so only what is found a second time counts.
 */
export async function seriousViolations(
  page: Page,
  without: string[] = [],
  only: string[] = [],
): Promise<string[]> {
  const first = await findViolations(page, without, only)
  return first.length === 0 ? [] : findViolations(page, without, only)
}

async function findViolations(page: Page, without: string[], only: string[]): Promise<string[]> {
  // Frames of other origins are none of ours, and without them a page need not be opened for each result.
  const builder = new AxeBuilder({ page }).setLegacyMode()
  for (const selector of without) builder.exclude(selector)
  if (only.length > 0) builder.withRules(only)
  const { violations } = await builder.analyze()
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}
