import { deployCheck } from '../../../local';
import { DEPLOYMENTS, summary } from './deployments';

test.each(DEPLOYMENTS)(
  'a deployment that $name',
  async ({ before, after, fails = false, effects = [], risks = [] }) => {
    const check = await deployCheck(before(), after());
    expect(summary(check)).toEqual({ fails, effects, risks });
    expect(check.isSafe).toBe(!fails && effects.every(effect => !effect.includes(' lost ')));
  },
);
