/** The dashboard and the alert rules against a running server and the real promtool. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { readExposition } from '../server/test/exposition.ts'
import { canRun } from '../server/test/server-process.ts'
import { repository } from './docs/blocks.ts'
import { useProcesses } from './processes.fixture.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

const run = promisify(execFile)
const folder = join(repository, 'docs/operations/monitoring')
const rules = readFileSync(join(folder, 'alerts.yml'), 'utf8')
const dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8'))
const processes = useProcesses(() => ({}))

interface Panel {
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string }[]
  fieldConfig?: { defaults: { unit: string } }
}
const panels: Panel[] = dashboard.panels

/** Names in an expression that can only be metrics. */
const metricsIn = (text: string) => [
  ...new Set(text.match(/\b(carillon|http|nodejs|process)_[a-z0-9_]+\b/g) ?? []),
]
const isShown = (names: Set<string>, metric: string) =>
  names.has(metric) || names.has(metric.replace(/_(bucket|sum|count)$/, ''))

describe('the dashboard and the alert rules', () => {
  test('use only metrics that a running server has', async () => {
    await processes.start('api,ingest,delivery,fanout,dispatch,maintenance')
    const names = new Set(readExposition(await (await fetch(`${processes.url}/metrics`)).text()).keys())
    const expressions = panels.flatMap(panel => panel.targets?.map(target => target.expr) ?? [])
    const used = metricsIn([...expressions, ...(rules.match(/expr:[\s\S]*?\n {8}for:/g) ?? [])].join('\n'))
    expect(used.length).toBeGreaterThan(20)
    expect(used.filter(metric => !isShown(names, metric))).toEqual(ONLY_WITH_BACKUPS)
    // What is measured is shown, or has a reason not to be.
    const own = [...names].filter(name => name.startsWith('carillon_'))
    const shown = new Set(used.map(name => name.replace(/_(bucket|sum|count)$/, '')))
    expect(own.filter(name => !shown.has(name)).toSorted()).toEqual(NOT_SHOWN)
  })

  test('have a title, a unit and a legend everywhere, and no panel over another', () => {
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      ...['Overview', 'Delivery', 'Providers', 'Inbox & events'],
      ...['Webhooks & outbox', 'Streams & backups', 'Process'],
    ])
    const places = new Set<string>()
    for (const { type, title, description, gridPos, targets, fieldConfig } of panels) {
      expect(['row', 'stat', 'timeseries']).toContain(type)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(places.has(`${x}/${y}`), title).toBe(false)
          places.add(`${x}/${y}`)
        }
      }
      if (type === 'row') continue
      expect([description, fieldConfig?.defaults.unit]).not.toContain(undefined)
      if (type === 'timeseries') for (const target of targets!) expect(target.legendFormat).not.toBe('')
    }
  })

  test('every alert is explained where its annotation says', () => {
    const guide = readFileSync(join(repository, 'docs/operations/monitoring.md'), 'utf8')
    const headings = [...guide.matchAll(/^### (\w+)$/gm)].map(match => match[1]!)
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(match => match[1]!)
    expect(headings).toEqual(alerts)
    const runbooks = [...rules.matchAll(/runbook: monitoring\.md#(\w+)/g)].map(match => match[1])
    expect(runbooks).toEqual(alerts.map(name => name.toLowerCase()))
  })
})

/** A server of the operator's own is backed up by other means. */
const ONLY_WITH_BACKUPS = ['carillon_last_backup_timestamp_seconds', 'carillon_archive_failing']
/** How often somebody tries keys belongs into a security dashboard, and a script's duration is in its runs. */
const NOT_SHOWN = ['carillon_script_run_duration_seconds', 'carillon_wrong_keys_total']

describe('promtool', () => {
  const hasPromtool = canRun('promtool', 'prometheus')
  if (!hasPromtool && process.env.CI === 'true') throw new Error('promtool is missing: install prometheus')

  test('accepts the alert rules, and they fire when they should and not otherwise', async ({ skip }) => {
    if (!hasPromtool) skip()
    const { stdout } = await run('promtool', ['check', 'rules', 'alerts.yml'], { cwd: folder })
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
    const tested = await run('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: folder })
    expect(tested.stdout).toContain('SUCCESS')
  })

  test('every alert is tested', () => {
    const tests = readFileSync(join(folder, 'alerts.test.yml'), 'utf8')
    for (const [, name] of rules.matchAll(/- alert: (\w+)/g))
      expect(tests.split(`alertname: ${name}`).length, name).toBe(3)
  })
})
