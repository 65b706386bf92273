'use client'

import { CarillonInbox } from '@carillon/inbox/react'

/** A component of the browser, as it has effects. The server writes its empty tag, and the browser fills it. */
export function Bell() {
  return <CarillonInbox url={process.env.NEXT_PUBLIC_CARILLON_URL!} tokenUrl="/api/carillon-token" />
}
