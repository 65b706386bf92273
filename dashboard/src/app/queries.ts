/** How answers are kept and asked for again. */
import { QueryClient } from '@tanstack/react-query'
import { isProblem } from './api.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client itself repeats what can be repeated.
      retry: false,
      refetchOnWindowFocus: error => !isProblem(error.state.error, 403),
    },
  },
})

/** What is live is asked for again this often while somebody looks. */
export const LIVE = { refetchInterval: 5_000 } as const
