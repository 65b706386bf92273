/** Something of the same shape as what is being loaded. */
import { classes } from './classes.ts'

export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={classes('block animate-pulse rounded-control bg-border', className)}
    />
  )
}

export function PageSkeleton() {
  return (
    <div className="flex flex-col gap-4 p-4 md:p-6" role="status" aria-label="Loading">
      <Skeleton className="h-6 w-48" />
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  )
}
