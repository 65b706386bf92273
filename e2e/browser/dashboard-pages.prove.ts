import { expect, test, vi } from 'vitest'
import { useChromium } from './chromium.fixture.ts'
import { useDashboard } from './dashboard.fixture.ts'
import { PATHS, usePageFaults, WITHOUT_SUBJECT } from './dashboard-pages.fixture.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

const browser = useChromium()
const dashboard = useDashboard(browser)
const faults = usePageFaults(browser, dashboard)

test('every page of the dashboard has readable colours in the dark', async () => {
  const page = await faults.openAs('owner')
  expect(await faults.find(page, PATHS, { isDark: true })).toEqual([])
})

test('an owner can read every page of the dashboard, and every row of its tables', async () => {
  const page = await faults.openAs('owner')
  expect(await faults.find(page, PATHS)).toEqual([])
})

test('a viewer can read every page of the dashboard', async () => {
  const page = await faults.openAs('viewer')
  expect(await faults.find(page, PATHS)).toEqual([])
})

test('every page of the dashboard says so when nothing has happened yet', async () => {
  const page = await dashboard.openAs('owner')
  expect(await faults.find(page, WITHOUT_SUBJECT)).toEqual([])
})
