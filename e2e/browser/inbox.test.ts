import { expect, test, vi } from 'vitest'
import { useChromium } from './chromium.fixture.ts'
import { useSite } from './site.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const site = useSite()
const browser = useChromium()

/** On an issue of the person. */
const comment = (author: string, body: string, more: object = {}) =>
  site.client.events.emit({
    kind: 'issue_comment_created',
    actor_id: 'bob',
    thread: { kind: 'issue', id: `of ${author}`, author_id: author },
    payload: { title: 'The cart is slow', body },
    ...more,
  })

test('what is for a person appears on their page without a reload', async () => {
  const { client } = site
  await client.users.put('ada', {})
  const page = await browser.open(site.product.page('ada'))
  const audience = { kind: 'users' as const, user_ids: ['ada'] }
  const payload = { title: 'It works' }
  await client.intents.send({ notification_type: 'hello', channels: ['in_app'], audience, payload })
  await page.getByText('It works').waitFor()
  expect(browser.mistakes).toEqual([])
})

test('a muted thread stays away until somebody mentions the person', async () => {
  await site.client.users.put('grace', {})
  const page = await browser.open(site.product.page('grace'))
  await comment('grace', 'I see it too.')
  await page.getByText('I see it too.').waitFor()
  await page.locator('.open').first().focus()
  await page.keyboard.press('m')
  await page.getByText('The cart is slow').waitFor({ state: 'detached' })
  // The row is gone as soon as the key is pressed; the thread is muted once the server has heard of it.
  const shown = async () => (await site.client.inbox.list('grace')).data
  await expect.poll(shown).toEqual([])
  await comment('grace', 'Nothing new.')
  await comment('grace', 'What do you think, Grace?', { relations: { mention: ['grace'] } })
  await page.getByText('What do you think, Grace?').waitFor()
  expect(await shown()).toMatchObject([{ reason: 'mention', is_read: false, event_count: 2 }])
  expect(browser.mistakes).toEqual([])
})

test('what was snoozed is back, unread, when its time has come', async () => {
  await site.client.users.put('mary', {})
  const page = await browser.open(site.product.page('mary'))
  await comment('mary', 'I see it too.')
  await page.getByText('I see it too.').waitFor()
  const [row] = (await site.client.inbox.list('mary')).data
  await site.client.inbox.act('mary', row!.id, 'read')
  await site.client.inbox.snooze('mary', row!.id, new Date(Date.now() + 3000).toISOString())
  await page.getByText('I see it too.').waitFor({ state: 'detached' })
  await page.getByText('I see it too.').waitFor()
  expect(await site.client.inbox.unreadCount('mary')).toMatchObject({ unread: 1 })
})
