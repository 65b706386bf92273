import '@carillon/inbox/tokens.css'
import './dashboard.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './app/queries.ts'
import { router } from './app/router.tsx'
import { applyTheme } from './app/theme.ts'
import { Gate } from './shell/gate.tsx'
import { Toasts } from './ui/toasts.tsx'

applyTheme()
// Dialogs write a style of their own while they are open, which the page's policy allows only with this.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
if (nonce) setNonce(nonce)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Gate>
        <RouterProvider router={router} />
      </Gate>
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
