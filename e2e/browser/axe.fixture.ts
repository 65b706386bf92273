/** What a person with a screen reader or poor sight would stumble over. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Less than half as long as the source that the package exports. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface AxeOptions {
  /** A selector of what to look at; the whole page by default. */
  within?: string
  /** Selectors of what has tests of its own. */
  without?: string[]
  /** These rules and no others. */
  only?: string[]
}

/**
 * Pages are live: a row that arrives while axe measures moves what is below it onto other colours, so only what is found a
 * second time counts. What is inside of frames is not looked at: scripts of a page cannot read those of other origins.
 */
export async function seriousViolations(page: Page, options: AxeOptions = {}): Promise<string[]> {
  const first = await findViolations(page, options)
  return first.length === 0 ? [] : findViolations(page, options)
}

async function findViolations(page: Page, { within, without = [], only }: AxeOptions): Promise<string[]> {
  // Reading half a megabyte of script takes longer than most questions, and a page keeps it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE)
  const context: axe.ElementContext = { include: [within ?? 'html'], exclude: without }
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    iframes: false,
    ...(only !== undefined && { runOnly: only }),
  }
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})`,
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}
