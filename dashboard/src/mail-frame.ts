/**
 * Runs inside a frame that has an origin of its own: shows the mail that the page around it hands over. The frame's policy
 * lets the mail style itself and do nothing else.
 */
// Asked for before there is a mail: elements can have names that hide what the document offers.
const root = document.documentElement

addEventListener(
  'message',
  ({ data, source }: MessageEvent<{ html: string; isDark: boolean } | undefined>) => {
    if (source !== parent || typeof data?.html !== 'string') return
    // Scripts that arrive this way do not run, and the policy refuses handlers in attributes.
    const mail = withoutReach(data.html)
    root.innerHTML = mail.innerHTML
    root.lang = mail.lang
    root.dir = mail.dir
    root.style.colorScheme = data.isDark ? 'dark' : 'light'
    chooseColours(data.isDark)
    tellHeight()
    new ResizeObserver(tellHeight).observe(root)
  },
)

/** What the policy does not cover: looking up and connecting to other servers, and leaving the frame. */
function withoutReach(html: string): HTMLElement {
  const mail = new DOMParser().parseFromString(html, 'text/html').firstElementChild as HTMLElement
  for (const element of mail.querySelectorAll('link, meta[http-equiv], base, iframe, object, embed'))
    element.remove()
  for (const link of mail.querySelectorAll('a, area')) {
    link.setAttribute('target', '_blank')
    link.setAttribute('rel', 'noopener noreferrer')
  }
  return mail
}

/** The mail's own rules for dark and light readers follow the choice on the page, not the system's. */
function chooseColours(isDark: boolean): void {
  for (const { sheet } of root.querySelectorAll('style'))
    for (const rule of sheet?.cssRules ?? [])
      if (rule instanceof CSSMediaRule)
        rule.media.mediaText = rule.media.mediaText.replace(
          /\(prefers-color-scheme:\s*(dark|light)\)/g,
          (_, scheme) => ((scheme === 'dark') === isDark ? '(min-width: 0)' : '(max-width: 0)'),
        )
}

function tellHeight(): void {
  parent.postMessage({ height: root.scrollHeight }, '*')
}

parent.postMessage({ isReady: true }, '*')
