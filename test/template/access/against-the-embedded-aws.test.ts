import fc from 'fast-check';
import { type Caller, roleCaller } from '../../../local/kernel/caller';
import { mayDo, roleMayDo } from '../../../template/access/may-do';
import type { Answer } from '../../../template/access/text-matching';
import {
  ACCOUNT,
  IamFixture,
  OTHER_ACCOUNT,
  policy,
  QUEUE,
  ROOT,
  SNS,
  type StatementJson,
  TOPIC,
} from '../../local/iam/iam-fixture';

const BILLING = `arn:aws:iam::${ACCOUNT}:role/Billing`;
const SERVICE = { Service: 'sns.amazonaws.com' };

const principals = fc.constantFrom<unknown>(
  '*',
  { AWS: '*' },
  { AWS: ROOT },
  { AWS: BILLING },
  SERVICE,
  {
    Service: 'events.amazonaws.com',
    AWS: OTHER_ACCOUNT,
  },
  { AWS: `arn:aws:sts::${ACCOUNT}:assumed-role/Billing/Billing` },
);
const actions = fc.constantFrom('sqs:SendMessage', 'sqs:*', 'sqs:Send?essage', 'sqs:ReceiveMessage', '*');
const resources = fc.constantFrom(QUEUE, '*', `${QUEUE}-2`, 'arn:aws:sqs:*:*:or?ers', '*or*');
const values = fc.constantFrom(TOPIC, '*', 'arn:aws:sns:*:*:*', ACCOUNT, OTHER_ACCOUNT, 'true', 'false', BILLING);
const condition = fc
  .tuple(
    fc.constantFrom('', 'ForAnyValue:', 'ForAllValues:'),
    fc.constantFrom(
      ...['StringEquals', 'StringNotEquals', 'StringLike', 'StringNotLike', 'ArnLike', 'ArnNotEquals'],
      ...['StringEqualsIgnoreCase', 'ArnEquals', 'StringNotEqualsIgnoreCase'],
    ),
    fc.constantFrom('', 'IfExists'),
    fc.constantFrom(
      ...['aws:SourceArn', 'aws:SourceAccount', 'aws:SecureTransport', 'aws:PrincipalIsAWSService', 'aws:sourcearn'],
      ...['aws:PrincipalAccount', 'aws:PrincipalType', 'aws:ResourceAccount'],
      ...['aws:PrincipalArn', 'aws:PrincipalOrgID', 'kms:ViaService', 'aws:PrincipalServiceName'],
    ),
    fc.array(values, { minLength: 1, maxLength: 2 }),
  )
  .map(([quantifier, operator, suffix, key, wanted]) => ({ [`${quantifier}${operator}${suffix}`]: { [key]: wanted } }));
const presence = fc
  .tuple(fc.constantFrom('aws:SourceArn', 'aws:SourceVpce'), fc.constantFrom('true', 'false'))
  .map(([key, wanted]) => ({ Null: { [key]: wanted } }));

const statements = fc.array(
  fc
    .record({
      Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
      action: fc.tuple(fc.constantFrom('Action', 'Action', 'NotAction'), actions),
      resource: fc.tuple(fc.constantFrom('Resource', 'Resource', 'NotResource'), resources),
      principal: fc.tuple(fc.constantFrom('Principal', 'Principal', 'NotPrincipal'), principals),
      Condition: fc.oneof(fc.constant({}), condition, presence),
    })
    .map(({ Effect, action, resource, principal, Condition }) => ({
      Effect,
      Condition,
      ...Object.fromEntries([action, resource, principal]),
    })),
  { maxLength: 4 },
);

interface Ask {
  readonly caller: Caller;
  readonly of: string;
  readonly action: string;
  readonly identity: readonly StatementJson[];
  readonly resource: readonly StatementJson[];
  readonly boundary: readonly StatementJson[] | undefined;
}

const ofIdentity = statements.map(list =>
  list.map(({ Principal: _, NotPrincipal: __, ...statement }: StatementJson) => statement),
);
const EVERYTHING = { Effect: 'Allow', Action: '*', Resource: '*' };
const wide = ofIdentity.map(list => [EVERYTHING, ...list]);

const asks = fc.record<Ask>({
  of: fc.constantFrom(QUEUE, QUEUE, QUEUE.replace(ACCOUNT, OTHER_ACCOUNT)),
  caller: fc.constantFrom(SNS, roleCaller(BILLING)),
  action: fc.constantFrom('sqs:SendMessage', 'kms:Decrypt'),
  identity: fc.oneof(ofIdentity, wide),
  resource: statements,
  boundary: fc.option(fc.oneof(ofIdentity, wide), { nil: undefined, freq: 2 }),
});

function embedded({ caller, of, action, identity, resource, boundary }: Ask): Answer {
  const fixture = new IamFixture();
  fixture.role(identity);
  if (boundary) {
    const limit = fixture.iam.createPolicy({ policyName: 'Limit', document: policy(...boundary) });
    fixture.iam.limit(fixture.iam.role('Billing'), limit);
  }
  const { allowed, reason } = fixture.iam.decide({
    caller,
    action,
    resource: of,
    resourcePolicy: policy(...resource),
  });
  expect(reason).not.toContain('cannot be evaluated');
  return allowed ? 'yes' : 'no';
}

function ours({ caller, of, action, identity, resource, boundary }: Ask): Answer {
  const { principal, context } = caller;
  const [sourceArn, sourceAccount] = ['aws:SourceArn', 'aws:SourceAccount'].map(key => context[key]?.toString());
  const document = policy(...resource);
  if (principal.kind !== 'service') {
    return roleMayDo(
      { roleArn: BILLING, action, resource: of },
      { identity: [policy(...identity)], resource: document, ...(boundary && { boundary: policy(...boundary) }) },
    );
  }
  return mayDo({ service: principal.service, action, resource: of, sourceArn, sourceAccount }, document);
}

test('what is said of a policy the embedded AWS does, or nothing is said', () => {
  const counts = { yes: 0, no: 0, unknown: 0 };
  const limited = { yes: 0, no: 0, unknown: 0 };
  fc.assert(
    fc.property(asks, ask => {
      const said = ours(ask);
      counts[said] += 1;
      const isOpen = ask.boundary !== undefined && ours({ ...ask, boundary: undefined }) === 'yes';
      if (isOpen && ask.caller !== SNS) limited[said] += 1;
      if (said !== 'unknown') expect(said).toBe(embedded(ask));
    }),
    { seed: 7, numRuns: 3_000 },
  );
  expect(counts.yes).toBeGreaterThan(300);
  expect(counts.no).toBeGreaterThan(300);
  expect(counts.unknown).toBeLessThan(1_500);
  expect(limited.yes).toBeGreaterThan(10);
  expect(limited.no).toBeGreaterThan(50);
});
