/**
 * The direction of dependencies: which package, and which folder of the server, may import which. `npm run verify` has
 * dependency-cruiser check it; scripts/room-rules.mjs is what it checks between whole rooms.
 */

/** The wings of server/src, from the ground up: each imports only from those before it. */
const WINGS = [
  'platform',
  'oversight',
  'content',
  'people',
  'inbox',
  'reactions',
  'providers',
  'delivery',
  'planning',
  'intake',
  'events',
  'automation',
  'operations',
]

/** Above all wings: the command line, the roles and the wiring import everything. */
const ROOF = ['cli', 'generate', 'roles']

/** What is built is checked only of the sdk. */
const BUILT = '^(contract|server|bench|e2e)/(commonjs/)?dist/'
export const TEST = '[.](test|suite|fixture|prove)[.]ts$|^[^/]+/test/'
/** Each with what it may reach by path in others. */
const WORKSPACES = { contract: [], sdk: [], server: [], bench: ['^server/dist/'], e2e: ['^server/test/'] }
const CONTRACT = '(^|/)@carillon/contract(/|$)'
const SDK = '(^|/)@carillon/sdk(/|$)'
const SERVER = '(^|/)@carillon/server(/|$)'
const TEST_TOOLS = '^node_modules/(vitest|fast-check)/'

/** They hold for tests too: a package is what others install. */
const ofPackages = [
  forbid('contract imports only zod', ownOf('contract'), { pathNot: '^contract/|^node_modules/zod/' }),
  forbid('tests of contract import only zod and test tools', testsOf('contract'), {
    pathNot: `^contract/|^node_modules/zod/|${TEST_TOOLS}`,
    dependencyTypesNot: ['core'],
  }),
  forbid('sdk imports only types of @carillon/contract', ownOf('sdk'), { pathNot: `^sdk/|${CONTRACT}` }),
  forbid('tests of sdk import only @carillon/contract and test tools', testsOf('sdk'), {
    pathNot: `^sdk/|${CONTRACT}|${TEST_TOOLS}`,
    dependencyTypesNot: ['core'],
  }),
  // what is built has no types any more
  forbid('sdk imports nothing when it runs', { path: '^sdk/(commonjs/)?dist/' }, { pathNot: '^sdk/' }),
  forbid('only bench imports @carillon/server', { pathNot: '^bench/' }, { path: SERVER }),
  forbid(
    'within server only cli/ imports @carillon/sdk',
    { path: '^server/', pathNot: '^server/src/cli/' },
    { path: SDK },
  ),
  ...Object.entries(WORKSPACES).map(([workspace, reachable]) =>
    forbid(
      `${workspace} imports other workspaces by their package name`,
      { path: `^${workspace}/` },
      { path: `^(${Object.keys(WORKSPACES).join('|')})/`, pathNot: [`^${workspace}/`, ...reachable] },
    ),
  ),
]

/** They hold for the server's own files, not for tests, which may look behind any door. */
const ofFolders = [
  forbid(
    'a folder of server/src is a wing or of the roof',
    own('[^/]+/', `^server/src/(${[...WINGS, ...ROOF].join('|')})/`),
    {},
  ),
  ...WINGS.map((wing, height) =>
    forbid(`${wing}/ imports only from the wings below it`, own(`${wing}/`), {
      path: '^server/src/',
      pathNot: `^server/src/(${WINGS.slice(0, height + 1).join('|')})/`,
    }),
  ),
  forbid('pg is imported only in platform/database/', own('', '^server/src/platform/database/'), {
    path: '^node_modules/(@types/)?pg/',
  }),
  forbid('node:process is imported only in platform/config/', own('', '^server/src/platform/config/'), {
    path: '^(node:)?process$',
  }),
  forbid('providers/services/ imports nothing from platform/database/', own('providers/services/'), {
    path: '^server/src/platform/database/',
  }),
  forbid('queries.ts is imported only from its own folder', own('(.+)/[^/]+$'), {
    path: '[/-]queries[.]ts$',
    pathNot: '^server/src/$1/[^/]+$',
  }),
  forbid(
    'platform/http/ is imported only by app.ts, api.ts, roles/ and routes files',
    own('', '^server/src/(platform/http/|roles/|(app|api)[.]ts$)', '[/-]routes[.]ts$'),
    { path: '^server/src/platform/http/' },
  ),
  forbid(
    'app.ts is imported only by main.ts, cli/ and generate/',
    own('', '^server/src/(main[.]ts$|cli/|generate/)'),
    {
      path: '^server/src/app[.]ts$',
    },
  ),
  forbid('files import each other in no circle', own(), { circular: true }),
]

export const options = {
  // The other parser needs TypeScript 6 or older. Imports of types count: who needs a type knows of the other.
  parser: 'swc',
  preserveSymlinks: true,
  doNotFollow: { path: ['node_modules', BUILT] },
  exclude: { path: '[.]d[.]ts$' },
  enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import'] },
}

export default { forbidden: [...ofPackages, ...ofFolders], options }

function forbid(name, from, to) {
  return { name, severity: 'error', from, to }
}

function own(path = '', ...except) {
  return { path: `^server/src/${path}`, pathNot: [TEST, ...except] }
}

function ownOf(workspace) {
  return { path: `^${workspace}/src/`, pathNot: TEST }
}

function testsOf(workspace) {
  return { path: `^${workspace}/(test/|.*[.](test|suite|fixture|prove)[.]ts$)` }
}
