/** A link within a sentence or a cell. */
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export function TextLink({
  className,
  ...props
}: LinkProps & { className?: string; title?: string; children?: ReactNode }) {
  return <Link {...props} className={classes('text-accent hover:underline', className)} />
}

/** To another site, in a tab of its own. What is no web address stays text, since it comes from data. */
export function OutsideLink({ url, children }: { url: string; children?: ReactNode }) {
  if (!/^https?:\/\//i.test(url)) return <>{children ?? url}</>
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className="break-all text-accent hover:underline">
      {children ?? url}
    </a>
  )
}
