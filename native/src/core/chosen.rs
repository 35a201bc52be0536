//! Tables by which those of eight values are written one after another that bits choose, without a branch.

/// Of each eight bits, from the last to the first, the numbers of those that are set, and 0 for what is left.
pub static CHOSEN: [[u32; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut at, mut count) = (0, 0);
        while at < 8 {
            if bits >> at & 1 == 1 {
                all[bits][count] = at as u32;
                count += 1;
            }
            at += 1;
        }
        bits += 1;
    }
    all
};

/// Of each eight bits how many are set up to each.
pub static UP_TO: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut at, mut count) = (0, 0);
        while at < 8 {
            count += (bits >> at & 1) as u8;
            all[bits][at] = count;
            at += 1;
        }
        bits += 1;
    }
    all
};
