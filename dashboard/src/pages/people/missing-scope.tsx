import type { Scope } from '@carillon/contract'
import { Notice } from '../../ui/problem.tsx'

/** In place of what the visitor may not read. */
export function MissingScope({ scope }: { scope: Scope }) {
  return <Notice tone="info">You need {scope} to see this: ask an owner.</Notice>
}
