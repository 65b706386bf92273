/** A real browser: that of CHROME_PATH, or the one that npm installed. The test files of a process share one. */
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContextOptions, chromium as engine, type Page } from 'playwright-core'
import { afterEach, beforeAll } from 'vitest'

/** Nothing in it may look for the network by itself. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface TestBrowser {
  /** A page with cookies and storage of its own; it is closed with the test. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
  /** Mistakes in pages: what they threw, and what the console called an error. */
  readonly mistakes: string[]
}

let running: Promise<Browser> | undefined

/** It ends with this process, whose end it notices by itself. */
async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH || (await chromium.executablePath())
  const signals = { handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false }
  return engine.launch({ executablePath, args: QUIET, headless: true, ...signals })
}

export function useChromium(): TestBrowser {
  let browser: Browser
  let mistakes: string[] = []
  const opened: { close(): Promise<void> }[] = []

  beforeAll(async () => {
    running ??= launch()
    browser = await running
  }, 60_000)
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close()
    mistakes = []
  })

  return {
    get mistakes() {
      return mistakes
    },
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      opened.push(context)
      const page = await context.newPage()
      page.on('pageerror', error => mistakes.push(String(error)))
      page.on('console', message => {
        if (message.type() === 'error') mistakes.push(message.text())
      })
      await page.goto(url)
      return page
    },
  }
}
