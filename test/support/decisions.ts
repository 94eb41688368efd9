import { Iam } from '../../local/iam/iam';
import type { Role } from '../../local/iam/role';
import type { AccessRequest, PolicyDocument } from '../../local/kernel/access';

/** A request without one statement or policy that is about its action. */
interface Without {
  /** The Sid of the statement, or the name of the policy. */
  readonly name: string;
  readonly request: AccessRequest;
  /** What is left of the role. @default - everything */
  readonly policies?: Role['policies'];
}

/** A statement of an identity policy has its Sid in its label. */
const SID = /\("(.+?)"\)/;

function withoutOneOfRole(request: AccessRequest, policies: Role['policies']): readonly Without[] {
  return policies.flatMap((named, place) => {
    const { statements } = named.policy;
    const about = statements.filter(it => it.matchesAction(request.action));
    if (about.length === 0) return [];
    const less = about.map(statement => {
      const policy = { ...named.policy, statements: statements.filter(it => it !== statement) };
      const [, name = ''] = SID.exec(statement.label) ?? [];
      return { name, request, policies: policies.with(place, { ...named, policy }) };
    });
    return [...less, { name: named.name, request, policies: policies.toSpliced(place, 1) }];
  });
}

function withoutOneOfResource(request: AccessRequest, { Statement, ...policy }: PolicyDocument): readonly Without[] {
  const statements = [Statement].flat();
  const { resourcePolicy: _, ...others } = request;
  return statements.map((statement, place) => {
    const left = statements.toSpliced(place, 1);
    const less = left.length > 0 ? { ...others, resourcePolicy: { ...policy, Statement: left } } : others;
    return { name: String(Object(statement).Sid), request: less };
  });
}

/**
 * Runs `act` and returns which statements and policies decided a request alone: without it, the request would be refused, or would not
 * be. By the Sid of a statement or the name of a policy, with the actions of these requests in lower case.
 */
export async function decisionsOf(act: () => Promise<void>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const decisive = new Map<string, Set<string>>();
  const { decideIn } = Iam.prototype;
  const watching = jest.spyOn(Iam.prototype, 'decideIn').mockImplementation(function (this: Iam, place, request) {
    const decision = decideIn.call(this, place, request);
    const { caller, resourcePolicy } = request;
    const action = request.action.toLowerCase();
    const role = caller.principal.kind === 'role' ? this.findRole(caller.principal.arn) : undefined;
    const less = [
      ...(role ? withoutOneOfRole(request, role.policies) : []),
      ...(resourcePolicy ? withoutOneOfResource(request, resourcePolicy) : []),
    ];
    for (const { name, request: asked, policies } of less) {
      const actions = decisive.get(name) ?? new Set();
      if (actions.has(action)) continue;
      if (role && policies) Object.defineProperty(role, 'policies', { value: policies, configurable: true });
      if (decideIn.call(this, place, asked).allowed !== decision.allowed) decisive.set(name, actions.add(action));
      if (role && policies) Reflect.deleteProperty(role, 'policies');
    }
    return decision;
  });
  try {
    await act();
  } finally {
    watching.mockRestore();
  }
  return decisive;
}
