/** @carillon/inbox/react: the element as a component, and the notification centre without markup as a hook. */
export { CarillonInbox, type CarillonInboxProps } from './carillon-inbox.ts'
export { type UsedInbox, useInbox } from './use-inbox.ts'
