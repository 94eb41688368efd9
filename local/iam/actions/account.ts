import type {
  EvaluationResult,
  PolicyEvaluationDecisionType,
  SimulatePrincipalPolicyRequest,
} from '@aws-sdk/client-iam';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { type Caller, roleCaller, rootArn } from '../../kernel/caller';
import { MissingResource } from '../../kernel/service-api';
import { readPolicyText } from '../../policy-document/policy';
import { type IamFamily, type IamState, iamArn, iamPage, malformedPolicy, noSuchEntity } from './iam-action';

/** Inputs of AWS's simulator that are not implemented. */
const NOT_HERE = ['PolicyInputList', 'PermissionsBoundaryPolicyInputList', 'ResourceHandlingOption'] as const;

export const accountActions = {
  /** Users are not simulated: a caller without a role is the account itself. */
  GetUser: {
    resourceOf: ({ place }, { UserName }) => {
      if (UserName === undefined) return { arn: iamArn(place, 'root') };
      return new MissingResource(
        iamArn(place, `user/${UserName}`),
        noSuchEntity(`The user with name ${UserName} cannot be found.`),
      );
    },
    run: ({ place: { partition, account } }, { caller }) => {
      if (caller.principal.kind !== 'account') {
        throw new AwsError('ValidationError', 'Must specify userName when calling with non-User credentials');
      }
      const Arn = rootArn(partition, account);
      return { User: { Path: '/', UserName: account, UserId: account, Arn, CreateDate: new Date(0) } };
    },
  },

  /** Returns none: account aliases are not simulated. */
  ListAccountAliases: {
    run: () => ({ AccountAliases: [], IsTruncated: false }),
  },

  /**
   * Decides what a role may do, by the rules that apply to real calls. As on AWS, the simulator uses only the resource
   * policies that the caller passes.
   */
  SimulatePrincipalPolicy: {
    resourceOf: ({ iam }, { PolicySourceArn = '' }) =>
      iam.findRole(PolicySourceArn)
        ? { arn: PolicySourceArn }
        : new MissingResource(
            PolicySourceArn,
            noSuchEntity(`No policy source was found for ${PolicySourceArn}: only roles exist here.`),
          ),
    run: (state, { input }) => {
      for (const member of NOT_HERE) {
        const value = input[member];
        if (value !== undefined && value.length > 0) throw notImplemented(`SimulatePrincipalPolicy with ${member}`);
      }
      const { ActionNames = [], ResourceArns = ['*'] } = input;
      if (ActionNames.some(name => !/^[\w-]+:[\w-]+$/.test(name))) {
        throw new AwsError('InvalidInput', `Invalid Input Actions specified: ${ActionNames.join(', ')}`);
      }
      const caller = simulatedCaller(input);
      const results = ActionNames.flatMap(action =>
        ResourceArns.map(arn => simulate(state, caller, action, arn, input)),
      );
      const { items, more } = iamPage(results, input);
      return { EvaluationResults: items, ...more };
    },
  },
} satisfies IamFamily;

function simulatedCaller({ PolicySourceArn = '', ContextEntries = [] }: SimulatePrincipalPolicyRequest): Caller {
  const caller = roleCaller(PolicySourceArn);
  const given = ContextEntries.flatMap(({ ContextKeyName: name, ContextKeyValues: [value, ...others] = [] }) => {
    if (others.length > 0) throw notImplemented(`a context key of several values (${name})`);
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return { ...caller, context: { ...caller.context, ...Object.fromEntries(given) } };
}

function simulate(
  { iam }: IamState,
  caller: Caller,
  action: string,
  resource: string,
  { ResourcePolicy }: SimulatePrincipalPolicyRequest,
): EvaluationResult {
  const resourcePolicy =
    ResourcePolicy === undefined ? undefined : readPolicyText(ResourcePolicy, 'resource', malformedPolicy);
  const request = { caller, action, resource, ...(resourcePolicy && { resourcePolicy }) };
  const { allowed, isDenied, unknownPolicies } = iam.evaluate(request);
  if (unknownPolicies) throw notImplemented(`${action} with the managed policy ${unknownPolicies.join(' and ')}`);
  const decision: PolicyEvaluationDecisionType = allowed ? 'allowed' : isDenied ? 'explicitDeny' : 'implicitDeny';
  return {
    EvalActionName: action,
    EvalResourceName: resource,
    EvalDecision: decision,
    MatchedStatements: [],
    MissingContextValues: [],
  };
}
