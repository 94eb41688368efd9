import type { Policy as ShownPolicy } from '@aws-sdk/client-iam';
import { parseArn } from '../../../policy/arn';
import { awsPolicyName } from '../../../template/access/managed-policies';
import { MissingResource, type Resource } from '../../kernel/service-api';
import { readPolicyText } from '../../policy-document/policy';
import { type ManagedPolicy, unknownPolicy } from '../iam';
import {
  encodedPolicy,
  type IamFamily,
  type IamState,
  iamArn,
  iamPage,
  malformedPolicy,
  noSuchEntity,
} from './iam-action';

export interface PolicyTarget extends Resource {
  readonly managed: ManagedPolicy;
}

/** Members that AWS's managed policies lack here: all have one version. */
const AWS_OWN = { path: '/', description: undefined, version: 1, createdAtMs: 0, updatedAtMs: 0 };

/** Finds a managed policy of AWS or of the account. */
function policyNamed(
  { iam }: IamState,
  { PolicyArn = '' }: { PolicyArn: string | undefined },
): PolicyTarget | MissingResource {
  const own = iam.customerPolicy(PolicyArn);
  if (own) return { arn: PolicyArn, managed: own };
  const known = iam.findManagedPolicy(PolicyArn);
  const resource = parseArn(PolicyArn)?.resource ?? '';
  if (!known) {
    // A template may name a policy of the account that no stack has.
    const isAttached = iam.allRoles().some(({ attachedPolicyArns }) => attachedPolicyArns.includes(PolicyArn));
    const isUnknown = isAttached || awsPolicyName(PolicyArn) !== undefined;
    const error = isUnknown ? unknownPolicy(PolicyArn) : noSuchEntity(`Policy ${PolicyArn} was not found.`);
    return new MissingResource(PolicyArn, error);
  }
  const [, path = '/', name = ''] = /^policy(\/(?:.*\/)?)(.*)$/.exec(resource) ?? [];
  const id = `ANPA${name.toUpperCase()}`;
  return { arn: PolicyArn, managed: { ...AWS_OWN, name, path, arn: PolicyArn, id, document: known.document } };
}

export const policyActions = {
  GetPolicy: {
    resourceOf: policyNamed,
    run: (state, _call, { managed }: PolicyTarget) => ({ Policy: described(state, managed) }),
  },

  /** Only the default version of a policy is stored. */
  GetPolicyVersion: {
    resourceOf: policyNamed,
    run: (_state, { input: { VersionId } }, { managed: { arn, document, version, updatedAtMs } }: PolicyTarget) => {
      if (VersionId !== `v${version}`)
        throw noSuchEntity(`Policy ${arn} version ${VersionId} does not exist or is not attachable.`);
      return {
        PolicyVersion: {
          Document: encodedPolicy(document),
          VersionId,
          IsDefaultVersion: true,
          CreateDate: new Date(updatedAtMs),
        },
      };
    },
  },

  CreatePolicy: {
    resourceOf: ({ place }, { Path = '/', PolicyName }) => ({ arn: iamArn(place, `policy${Path}${PolicyName}`) }),
    run: (state, { input: { PolicyName = '', PolicyDocument = '', Path, Description } }) => {
      const arn = state.iam.createPolicy({
        policyName: PolicyName,
        document: readPolicyText(PolicyDocument, 'identity', malformedPolicy),
        path: Path,
        description: Description,
      });
      const created = state.iam.customerPolicy(arn);
      return created ? { Policy: described(state, created) } : {};
    },
  },

  /**
   * Lists the account's policies. AWS's own are not listed, because AWS has more than are known here.
   */
  ListPolicies: {
    run: (state, { input }) => {
      const own = input.Scope === 'AWS' ? [] : state.iam.customerPolicies();
      const shown = own.map(policy => described(state, policy));
      const wanted = shown.filter(
        ({ AttachmentCount = 0, Path = '' }) =>
          (!input.OnlyAttached || AttachmentCount > 0) && Path.startsWith(input.PathPrefix ?? '/'),
      );
      const { items, more } = iamPage(wanted, input);
      return { Policies: items, ...more };
    },
  },
} satisfies IamFamily;

function described({ iam }: IamState, policy: ManagedPolicy): ShownPolicy {
  const { name, arn, id, path, description, version, createdAtMs, updatedAtMs } = policy;
  return {
    PolicyName: name,
    PolicyId: id,
    Arn: arn,
    Path: path,
    DefaultVersionId: `v${version}`,
    AttachmentCount: iam.allRoles().filter(({ attachedPolicyArns }) => attachedPolicyArns.includes(arn)).length,
    PermissionsBoundaryUsageCount: iam.allRoles().filter(({ boundaryArn }) => boundaryArn === arn).length,
    IsAttachable: true,
    ...(description !== undefined && { Description: description }),
    CreateDate: new Date(createdAtMs),
    UpdateDate: new Date(updatedAtMs),
  };
}
