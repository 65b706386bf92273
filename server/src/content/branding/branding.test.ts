import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { brandingVariables } from './branding.ts'
import { contrast, readableOn, shadeFor } from './contrast.ts'

const carillon = useCarillon()
const patch = (body: object) => carillon.request('PATCH', '/v1/branding', { body })

it('branding has defaults, and a PATCH changes only the given fields', async () => {
  const before = (await carillon.request('GET', '/v1/branding')).body
  expect(before).toMatchObject({ name: 'default', logo_url: null, footer: '', updated_at: null })
  await patch({ name: 'Shop', logo_url: 'https://shop.example/logo.png' })
  const after = (await patch({ primary_color: '#FF0000' })).body
  expect(after).toMatchObject({
    name: 'Shop',
    logo_url: 'https://shop.example/logo.png',
    primary_color: '#FF0000',
  })
  expect((await patch({ name: null, logo_url: null })).body).toMatchObject({
    name: 'default',
    logo_url: null,
  })
})

it.each([
  ['a colour that is CSS', { primary_color: 'red;}body{display:none' }, 'primary_color'],
  ['a link that is a script', { website_url: 'javascript:alert(1)' }, 'website_url'],
  ['a link that leaves its attribute', { logo_url: 'https://x"onerror=' }, 'logo_url'],
  ['an unknown field', { colour: '#ffffff' }, 'colour'],
])('PATCH /v1/branding refuses %s', async (_what, body, field) => {
  expect(problemOf(await patch(body)).errors?.[0]?.field).toBe(field)
})

it('each tenant has its own branding', async () => {
  await patch({ name: 'Shop' })
  const { key } = await carillon.createTenant('other brand')
  expect((await carillon.request('GET', '/v1/branding', { key })).body.name).toBe('other brand')
})

it('contrast() computes the WCAG contrast of two colours', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

it.each(['#1f5fd6', '#ffd400', '#000000', '#ffffff', '#777777', '#00ff88'])(
  'every shade of %s is readable on its background',
  color => {
    const brand = brandingVariables({
      name: 'x',
      logo_url: null,
      website_url: null,
      primary_color: color,
      footer: '',
      updated_at: null,
    })
    expect(contrast(brand.on_primary_color, color)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(brand.link_color, '#ffffff')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(brand.link_color_dark, '#1d2026')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(brand.on_link_color_dark, brand.link_color_dark)).toBeGreaterThanOrEqual(4.5)
  },
)

it('a readable colour is not changed', () => {
  expect(shadeFor('#1f5fd6', '#ffffff')).toBe('#1f5fd6')
  expect(readableOn('#ffd400')).toBe('#000000')
})
