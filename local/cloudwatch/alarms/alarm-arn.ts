import { arnIn, type Place } from '../../kernel/place';

export function alarmArn(place: Place, alarmName: string): string {
  return arnIn(place, 'cloudwatch', `alarm:${alarmName}`);
}
