import { AWS_MANAGED_POLICIES } from '../../template/access/managed-policies';
import type { PolicyDocument } from '../../template/access/policy-document';
import { allKnown, isKnown, type MaybeKnown, mapKnown, thenKnown } from '../../template/told';
import type { RoleFacts } from '../inventory/inventory';
import type { AppReading } from './app-reading';
import { type Attached, allGiven } from './attached';
import type { ResourceReading } from './resource-reading';

type Policy = MaybeKnown<PolicyDocument | undefined>;

const MANAGED_BY_AWS = /^arn:[^:]+:iam::aws:policy\//;

/** Roles are told apart by their names in an account alone. */
function inAccount(name: MaybeKnown<string>, { stack }: ResourceReading): MaybeKnown<string> {
  return mapKnown(name, reported => `${stack.environment.account}/${reported}`);
}

/** Policies that name the roles they are of. */
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

/** A managed policy that a role names. */
function namedPolicy(arn: MaybeKnown<string>, managed: ReadonlyMap<string, Policy>): Policy {
  if (!isKnown(arn)) return arn;
  const ofAws = MANAGED_BY_AWS.test(arn) ? AWS_MANAGED_POLICIES[arn.replace(MANAGED_BY_AWS, '')] : undefined;
  return ofAws ?? managed.get(arn) ?? { unknownBecause: `holds the policy ${arn}, which is not in the templates` };
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

/** The roles of an app's templates. */
export function readRoles(app: AppReading): RoleFacts[] {
  const attached = attachedPolicies(app);
  const managed = new Map(
    app.resources('AWS::IAM::ManagedPolicy').flatMap(it => {
      const arn = it.ref;
      return isKnown(arn) ? [[arn, it.given('PolicyDocument').policy()] as const] : [];
    }),
  );
  return app.resources('AWS::IAM::Role').map(role => ({
    ...role.as(role.attribute('Arn')),
    policies: policiesOf(role, attached, managed),
  }));
}
