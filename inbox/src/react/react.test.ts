import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { CarillonInbox, useInbox } from './react.ts'

it('renders the tag on a server, with what is no secret', () => {
  const refreshToken = async () => 'cut_secret'
  const props = {
    url: 'https://bells.example',
    token: 'cut_secret',
    mode: 'page',
    className: 'mine',
    sound: true,
  } as const
  const html = renderToString(createElement(CarillonInbox, { ...props, refreshToken }))
  expect(html).toBe(
    '<carillon-inbox class="mine" url="https://bells.example" mode="page" sound=""></carillon-inbox>',
  )
})

it('draws an empty notification centre on a server, and asks nobody', () => {
  let asked = 0
  const fetch = async () => {
    asked++
    return new Response()
  }
  function Bell() {
    const { state } = useInbox({ url: 'https://bells.example', token: 'cut_x', fetch })
    return createElement('b', null, `${state.connection} ${state.unread}`)
  }
  expect([renderToString(createElement(Bell)), asked]).toEqual(['<b>loading 0</b>', 0])
})
