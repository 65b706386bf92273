/**
 * Threading as Jamie Zawinski's algorithm has it (https://www.jwz.org/doc/threading.html), without its last step, which
 * puts mails together by subject: what is in one thread here is so because of its headers alone.
 */
export interface Threaded {
  messageId: string
  references: string[]
}

interface Container {
  id: string
  mail?: Threaded
  parent?: Container
  children: Container[]
}

/** The mails of each thread, by their Message-IDs. */
export function threadsOf(mails: Threaded[]): string[][] {
  const containers = new Map<string, Container>()
  const containerOf = (id: string): Container => {
    const known = containers.get(id) ?? { id, children: [] }
    containers.set(id, known)
    return known
  }

  for (const mail of mails) {
    const own = containerOf(mail.messageId)
    own.mail = mail
    let last: Container | undefined
    for (const id of mail.references) {
      const referred = containerOf(id)
      if (last !== undefined && referred.parent === undefined && !isBelow(last, referred))
        link(last, referred)
      last = referred
    }
    if (own.parent !== undefined) {
      own.parent.children = own.parent.children.filter(child => child !== own)
      delete own.parent
    }
    if (last !== undefined && !isBelow(last, own)) link(last, own)
  }

  const roots = [...containers.values()].filter(({ parent }) => parent === undefined)
  return roots.map(mailsBelow).filter(ids => ids.length > 0)
}

function link(parent: Container, child: Container): void {
  child.parent = parent
  parent.children.push(child)
}

/** Whether it is `ancestor` or somewhere below it: linking the two the other way round would make a circle. */
function isBelow(container: Container, ancestor: Container): boolean {
  for (let at: Container | undefined = container; at !== undefined; at = at.parent)
    if (at === ancestor) return true
  return false
}

function mailsBelow({ id, mail, children }: Container): string[] {
  return [...(mail === undefined ? [] : [id]), ...children.flatMap(mailsBelow)]
}
