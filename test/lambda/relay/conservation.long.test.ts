import { testConservation } from './conservation';

testConservation(16, 6);
