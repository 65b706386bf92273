import { CarillonInbox } from '@carillon/inbox/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Latest } from './latest.tsx'

const url = import.meta.env.VITE_CARILLON_URL

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <header>
      <h1>Shop</h1>
      <CarillonInbox url={url} tokenUrl="/carillon-token" />
    </header>
    <Latest url={url} />
  </StrictMode>,
)
