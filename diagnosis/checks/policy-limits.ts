import { excessText, type PolicyOwner, policyExcesses } from '../../policy/resource-policy';
import type { PolicyDocument } from '../../template/access/policy-document';
import { isKnown, type MaybeKnown } from '../../template/maybe-known';
import type { Inventory, Resource } from '../inventory/inventory';
import type { Check, CheckResult } from './finding';

interface Limited {
  readonly owner: PolicyOwner;
  readonly resource: Resource & { readonly policy: MaybeKnown<PolicyDocument | undefined> };
}

function limited({ queues, topics, keys, functions }: Inventory): Limited[] {
  return [
    ...queues.map((resource): Limited => ({ owner: 'queue', resource })),
    ...topics.map((resource): Limited => ({ owner: 'topic', resource })),
    ...keys.map((resource): Limited => ({ owner: 'key', resource })),
    ...functions.map((resource): Limited => ({ owner: 'function', resource })),
  ];
}

/** The size of a policy's JSON text, without its unknown values. */
function knownBytes(policy: PolicyDocument): number {
  return Buffer.byteLength(JSON.stringify(policy, (_, value: unknown) => (isKnown(value) ? value : '')));
}

const JOIN = 'Join the statements that differ only in aws:SourceArn into one with a list of source ARNs';

/** How a policy becomes smaller. Lambda makes a statement of each permission, which has one source. */
const ADVICE: Readonly<Record<PolicyOwner, string>> = {
  queue: `${JOIN}, as the constructs of this library do, or use a second queue.`,
  topic: `${JOIN}, or one with a list of principals.`,
  key: `${JOIN}, or let IAM policies grant access to roles of the same account.`,
  function:
    'Replace permissions that differ only in their source by one whose SourceArn has wildcards, or deliver through a queue.',
};

function overLimit(inventory: Inventory): CheckResult[] {
  return limited(inventory).flatMap(({ owner, resource }): CheckResult[] => {
    const { policy } = resource;
    if (!isKnown(policy) || policy === undefined) return [];
    const [excess] = policyExcesses(owner, policy, knownBytes(policy));
    if (excess === undefined) return [];
    const says = `The policy of ${resource.name} ${excessText(owner, excess)}: the deployment fails.`;
    return [{ severity: 'rejected', resource, says, fix: { says: ADVICE[owner] } }];
  });
}

export const POLICY_LIMIT_CHECKS: readonly Check[] = [
  { id: 'policy-over-limit', severities: ['rejected'], find: overLimit },
];
