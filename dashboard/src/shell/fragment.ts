/** What a printed link carries behind #, where no server and no log sees it. */
export interface Fragment {
  link?: string
  invitation?: string
}

export function takeFragment(): Fragment {
  const params = new URLSearchParams(location.hash.slice(1))
  const [link, invitation] = [params.get('link'), params.get('invitation')]
  if (link === null && invitation === null) return {}
  history.replaceState(null, '', location.pathname + location.search)
  return { ...(link !== null && { link }), ...(invitation !== null && { invitation }) }
}
