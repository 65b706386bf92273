/** What to do about a letter, or what was done. */
import type { DeadLetterDetail } from '@carillon/contract'
import { Lightbulb } from 'lucide-react'
import { TextLink } from '../../ui/text-link.tsx'
import { RESOLUTION_WORDS } from './words.ts'

export function LetterHint({ letter, isWaiting }: { letter: DeadLetterDetail; isWaiting: boolean }) {
  if (!isWaiting)
    return (
      <p className="text-muted">
        {letter.resolution && RESOLUTION_WORDS[letter.resolution]}
        {letter.resolved_by && ` by ${letter.resolved_by}`}.{' '}
        {letter.resolution === 'replayed' && letter.notification_id !== null ? (
          <TextLink to={`/activity/${letter.notification_id}`}>See what became of it</TextLink>
        ) : (
          'Nothing is left to do here.'
        )}
      </p>
    )
  if (letter.recovery_hint === '') return null
  return (
    <div className="flex gap-2 rounded-control bg-warn-soft px-3 py-2 text-warn">
      <Lightbulb size={16} aria-hidden="true" className="mt-px shrink-0" />
      <p className="min-w-0 font-medium break-words">{letter.recovery_hint}</p>
    </div>
  )
}
