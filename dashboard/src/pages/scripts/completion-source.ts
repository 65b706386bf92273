import type { Completion, CompletionContext, CompletionSource } from '@codemirror/autocomplete'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { type Name, namesOf } from './script-completions.ts'

const readNames = () =>
  queryClient.fetchQuery({
    queryKey: ['script-types'],
    queryFn: async () => namesOf(await api.scripts.types()),
    staleTime: Number.POSITIVE_INFINITY,
  })

const shown = ({ label, type, detail, info }: Name): Completion => ({
  label,
  type,
  ...(detail && { detail }),
  ...(info && { info }),
})

/** Behind a dot the members of what stands before it; elsewhere the names that every script has. */
export const scriptCompletions: CompletionSource = async (context: CompletionContext) => {
  const member = context.matchBefore(/\b\w+\.\w*$/)
  const word = context.matchBefore(/\w*$/)
  if (!member && (!word || (word.from === word.to && !context.explicit))) return null
  const { globals, members } = await readNames().catch(() => ({ globals: [], members: {} }) as never)
  if (!member) return { from: word!.from, options: globals.map(shown), validFor: /^\w*$/ }
  const owner = member.text.slice(0, member.text.indexOf('.'))
  const options = members[owner]
  if (options === undefined) return null
  return { from: member.from + owner.length + 1, options: options.map(shown), validFor: /^\w*$/ }
}
