import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { absentProblems, mismatchProblems } from '../shared/checks';
import type { FunctionNetwork } from '../shared/own-functions/function-network';
import type { HttpRelayOptions } from './http-relay-props';

/** Where a relay's function runs. Its breaker, which calls AWS alone, stays outside. */
export function networkOf(options: HttpRelayOptions): FunctionNetwork {
  const { vpc, vpcSubnets, securityGroups, allowAllOutbound } = options;
  return { vpc, vpcSubnets, securityGroups, allowAllOutbound };
}

/** What Lambda, or the function of aws-cdk-lib, would reject of a relay's network. */
export function networkProblems(scope: IConstruct, options: HttpRelayOptions): Problem[] {
  const { vpc, vpcSubnets, securityGroups, allowAllOutbound } = options;
  if (vpc) {
    const hasGroups = securityGroups !== undefined && securityGroups.length > 0;
    const reason = 'where securityGroups is present: say it of the groups';
    return [
      ...mismatchProblems('vpc', 'must be in the Region of the relay,', Stack.of(scope).region, vpc.env.region),
      ...(hasGroups ? absentProblems('allowAllOutbound', allowAllOutbound, reason) : []),
    ];
  }
  const reason = 'where vpc is absent';
  return [
    ...absentProblems('vpcSubnets', vpcSubnets && Object.keys(vpcSubnets), reason),
    ...absentProblems(
      'securityGroups',
      securityGroups?.map(it => it.node.path),
      reason,
    ),
    ...absentProblems('allowAllOutbound', allowAllOutbound, reason),
  ];
}
