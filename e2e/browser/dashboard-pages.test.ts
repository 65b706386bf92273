import { expect, test, vi } from 'vitest'
import { useChromium } from './chromium.fixture.ts'
import { useDashboard } from './dashboard.fixture.ts'
import { PATHS, usePageFaults } from './dashboard-pages.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

const browser = useChromium()
const dashboard = useDashboard(browser)
const faults = usePageFaults(browser, dashboard)

test('an owner can read every page of the dashboard, also on a phone', async () => {
  expect(PATHS.length).toBeGreaterThan(40)
  const page = await faults.openAs('owner')
  expect(await faults.find(page, PATHS, { rows: 5, isInPlace: true })).toEqual([])
})
