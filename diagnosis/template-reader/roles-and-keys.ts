import { awsManagedPolicy, awsPolicyName } from '../../template/access/managed-policies';
import type { PolicyDocument } from '../../template/access/policy-document';
import { allKnown, isKnown, knownValue, type MaybeKnown, mapKnown, thenKnown } from '../../template/maybe-known';
import type { BoundaryFacts, KeyFacts, RoleFacts } from '../inventory/inventory';
import type { AppReading, ResourceReading } from './app-reading';
import { type Attached, allGiven } from './attached';

type Policy = MaybeKnown<PolicyDocument | undefined>;

/** Role names are unique within an account. */
function inAccount(name: MaybeKnown<string>, { stack }: ResourceReading): MaybeKnown<string> {
  return mapKnown(name, reported => `${stack.environment.account}/${reported}`);
}

function attachedPolicies(app: AppReading): Attached<Policy>[] {
  return [
    ...app.resources('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy').map(by => ({ by, to: by.given('Roles').texts() })),
    ...app.resources('AWS::IAM::RolePolicy').map(by => ({ by, to: by.given('RoleName').texts() })),
  ].map(({ by, to }) => ({
    by,
    to: mapKnown(to, names => names.map(name => inAccount(name, by))),
    value: by.given('PolicyDocument').policy(),
  }));
}

function namedPolicy(arn: MaybeKnown<string>, managed: ReadonlyMap<string, Policy>): Policy {
  if (!isKnown(arn)) return arn;
  // The checks ask only about services of which the documents say everything.
  const known = managed.get(arn) ?? awsManagedPolicy(arn)?.document;
  if (known !== undefined) return known;
  const why = awsPolicyName(arn) === undefined ? 'is not in the templates' : 'is not among the known ones of AWS';
  return { unknownBecause: `has the managed policy ${arn}, which ${why}` };
}

function listed<T>(all: MaybeKnown<readonly T[]>, each: (one: T) => Policy): Policy[] {
  return isKnown(all) ? all.map(each) : [all];
}

function policiesOf(
  role: ResourceReading,
  attached: readonly Attached<Policy>[],
  managed: ReadonlyMap<string, Policy>,
) {
  const all = [
    ...listed(role.given('Policies').list(), it => it.at('PolicyDocument').policy()),
    ...listed(role.given('ManagedPolicyArns').texts(), arn => namedPolicy(arn, managed)),
    ...listed(allGiven(attached, inAccount(role.ref, role)), it => it),
  ];
  return thenKnown(allKnown(all), known => known.filter(it => it !== undefined));
}

function boundaryOf(role: ResourceReading, managed: ReadonlyMap<string, Policy>): BoundaryFacts | undefined {
  const given = role.given('PermissionsBoundary');
  if (given.isPresent === false) return undefined;
  const arn = given.requiredText();
  const document = thenKnown(namedPolicy(arn, managed), it => it ?? { unknownBecause: 'has no document' });
  return { arn, document };
}

export function readRoles(app: AppReading): RoleFacts[] {
  const attached = attachedPolicies(app);
  const managed = new Map(
    app.resources('AWS::IAM::ManagedPolicy').flatMap(it => {
      const arn = it.ref;
      return isKnown(arn) ? [[arn, it.given('PolicyDocument').policy()] as const] : [];
    }),
  );
  return app.resources('AWS::IAM::Role').map(role => {
    const boundary = boundaryOf(role, managed);
    return {
      ...role.as(role.attribute('Arn')),
      policies: policiesOf(role, attached, managed),
      ...(boundary && { boundary }),
    };
  });
}

export function readKeys(app: AppReading): KeyFacts[] {
  const aliases = app.resources('AWS::KMS::Alias').map(it => ({
    name: it.given('AliasName').requiredText(),
    target: it.given('TargetKeyId').requiredText(),
  }));
  return app.resources('AWS::KMS::Key').map(key => {
    const arn = key.attribute('Arn');
    const own = [knownValue(arn), knownValue(key.ref)];
    return {
      ...key.as(arn),
      aliases: aliases
        .filter(({ target }) => isKnown(target) && own.includes(target))
        .flatMap(it => knownValue(it.name) ?? []),
      isManagedByAws: false,
      isEnabled: key.given('Enabled').flag(true),
      policy: key.given('KeyPolicy').policy(),
    };
  });
}
