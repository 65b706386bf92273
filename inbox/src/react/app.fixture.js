/** A product in React that has the inbox twice: as the component, and drawn by itself. */
import { CarillonInbox, useInbox } from '@carillon/inbox/react'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

const { url } = window.carillon
const refreshToken = async () =>
  (await (await fetch('/token?user=ada&ttl=3600', { method: 'POST' })).json()).token

function Own() {
  const { inbox, state } = useInbox({ url, refreshToken })
  const rows = state.items.map(({ id, title }) =>
    createElement(
      'li',
      { key: id },
      title,
      createElement('button', { type: 'button', onClick: () => inbox.act([id], 'done') }, 'Done'),
    ),
  )
  return createElement('section', { id: 'own' }, `${state.unread} unread`, createElement('ul', null, rows))
}

const tokenUrl = '/token?user=ada&ttl=3600'
const component = createElement(CarillonInbox, { url, tokenUrl, mode: 'page' })
createRoot(document.body).render(createElement(StrictMode, null, component, createElement(Own)))
