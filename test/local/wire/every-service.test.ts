import { AWS_SERVICES } from '../../../local/kernel/aws-service';
import { FAULTY_SERVICES } from '../../../local/kernel/fault';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { faultyActions, MODELS } from '../../../local/wire';
import { Simulation } from '../../../local/world/world';

const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random(1), startAtMs: 0 });

describe('every service on the wire', () => {
  test.each(AWS_SERVICES)('%s answers at its own host, under its own name', name => {
    expect(world.network.has(`${name}.us-east-1.amazonaws.com`)).toBe(true);
    expect(MODELS[name].name).toBe(name);
  });

  test.each(FAULTY_SERVICES)('%s, which can be made to fail, has actions', service => {
    expect([...faultyActions(service)]).not.toEqual([]);
  });
});
