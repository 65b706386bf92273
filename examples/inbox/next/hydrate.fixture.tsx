/** What the browser runs of a page of Next. */
import { hydrateRoot } from 'react-dom/client'
import Page from './app/page.tsx'

hydrateRoot(document.body, <Page />)
