import type { AlarmFacts } from '../inventory/alarm-facts';
import type { Fix } from './fix';

/** Has an alarm do what it is to do when it fires. */
export function enableAlarmActions({ name }: AlarmFacts): Fix {
  const input = { AlarmNames: [name] };
  return {
    says: 'Enable the actions of the alarm.',
    calls: [{ service: 'cloudwatch', operation: 'EnableAlarmActions', input }],
  };
}
