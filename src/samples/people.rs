//! Who the generated hospital's patients are: names, ethnicities, marital states and where they live.
//!
//! Ethnicity depends on the postcode area, names on ethnicity, marital status on age and sex. Some villages have an
//! illness of their own: their few patients share a diagnosis, which is what a homogeneity attack needs.

/// What an ethnicity's people have in common for names and illnesses.
pub struct Community {
    pub women: &'static [&'static str],
    pub men: &'static [&'static str],
    pub families: &'static [&'static str],
    /// Diagnoses that begin so are this many times as frequent here, in quarters.
    pub illnesses: &'static [(&'static str, u32)],
}

pub const COMMUNITIES: [Community; 5] = [
    Community {
        women: &[
            "Mary",
            "Anna",
            "Emma",
            "Margaret",
            "Elizabeth",
            "Sarah",
            "Laura",
            "Julia",
            "Helen",
            "Ruth",
            "Alice",
            "Clara",
            "Martha",
            "Susan",
            "Karen",
            "Nora",
            "Sophie",
            "Grace",
            "Irene",
            "Judith",
            "Rose",
            "Eleanor",
            "Frances",
            "Agnes",
            "Hannah",
            "Lucy",
            "Vera",
            "Edith",
            "Harriet",
            "Ingrid",
        ],
        men: &[
            "John", "Peter", "Thomas", "Paul", "James", "Martin", "David", "Robert", "Michael", "George", "William",
            "Daniel", "Henry", "Frank", "Simon", "Walter", "Oscar", "Arthur", "Edward", "Philip", "Hugo", "Victor",
            "Leonard", "Ralph", "Stephen", "Anton", "Felix", "Gilbert", "Magnus", "Clement",
        ],
        families: &[
            "Smith",
            "Miller",
            "Baker",
            "Carter",
            "Fisher",
            "Cooper",
            "Turner",
            "Walker",
            "Wright",
            "Hill",
            "Green",
            "Wood",
            "Clarke",
            "Hall",
            "Young",
            "Marsh",
            "Webb",
            "Novak",
            "Keller",
            "Hughes",
            "Palmer",
            "Reed",
            "Cole",
            "Fox",
            "Lambert",
            "Morgan",
            "Doyle",
            "Burke",
            "Hansen",
            "Becker",
            "Rossi",
            "Moreau",
            "Kowalski",
            "Lind",
            "Berger",
            "Frost",
            "Harper",
            "Sutton",
            "Barlow",
            "Whitfield",
            "Ashdown",
            "Thorne",
            "Quill",
            "Pemberton",
        ],
        illnesses: &[],
    },
    Community {
        women: &["Amina", "Grace", "Ngozi", "Abena", "Zola", "Esther", "Marcia", "Ifeoma", "Naomi", "Folake", "Thandi"],
        men: &["Kofi", "Samuel", "Emeka", "Kwame", "Tunde", "Winston", "Moses", "Sipho", "Desmond", "Abdou", "Jabari"],
        families: &[
            "Mensah", "Okafor", "Campbell", "Diallo", "Owusu", "Adeyemi", "Brown", "Nkosi", "Boateng", "Williams",
            "Traore", "Eze", "Mbeki", "Asante", "Gordon", "Onyango",
        ],
        illnesses: &[("D57", 160), ("I10", 8), ("C61", 8), ("C43", 0), ("E84", 0)],
    },
    Community {
        women: &["Priya", "Fatima", "Anjali", "Ayesha", "Sunita", "Meera", "Zainab", "Kavita", "Lakshmi", "Nadia"],
        men: &["Raj", "Imran", "Amit", "Sanjay", "Bilal", "Vikram", "Arjun", "Tariq", "Suresh", "Nikhil"],
        families: &[
            "Patel", "Khan", "Singh", "Sharma", "Ahmed", "Gupta", "Malik", "Rao", "Hussain", "Iyer", "Chaudhry", "Das",
            "Qureshi", "Nair",
        ],
        illnesses: &[("E11", 14), ("I25", 8), ("A15", 16), ("C43", 0), ("F10", 1)],
    },
    // Heart attacks are rare here, as for the l-diversity paper's Umeko: knowing that rules a value out.
    Community {
        women: &["Mei", "Umeko", "Ling", "Yuki", "Hui", "Sakura", "Lan", "Haruka", "Xia", "Akemi"],
        men: &["Wei", "Kenji", "Jun", "Hiroshi", "Ming", "Takeshi", "Bo", "Satoshi", "Cheng", "Ren"],
        families: &[
            "Wang", "Sato", "Li", "Tanaka", "Chen", "Suzuki", "Zhang", "Ito", "Liu", "Mori", "Huang", "Kato", "Zhou",
            "Yamada",
        ],
        illnesses: &[("I2", 0), ("B18", 28), ("K25", 8), ("E66", 1), ("C43", 0)],
    },
    Community {
        women: &["Layla", "Mariam", "Nour", "Samira", "Hala", "Yasmin", "Rania", "Salma", "Huda", "Dina"],
        men: &["Omar", "Ali", "Hassan", "Karim", "Youssef", "Khalid", "Samir", "Nabil", "Faris", "Ziad"],
        families: &[
            "Haddad", "Nasser", "Khoury", "Mansour", "Saleh", "Hamdan", "Aziz", "Farouk", "Bishara", "Darwish", "Zaki",
            "Sabbagh",
        ],
        illnesses: &[("E11", 8), ("D57", 24), ("F10", 1), ("C43", 1)],
    },
];

/// Name, group, and place in [`COMMUNITIES`].
pub const ETHNICITIES: [(&str, &str, usize); 10] = [
    ("White", "White", 0),
    ("White other", "White", 0),
    ("Black African", "Black", 1),
    ("Black Caribbean", "Black", 1),
    ("Indian", "Asian", 2),
    ("Pakistani", "Asian", 2),
    ("Chinese", "Asian", 3),
    ("Japanese", "Asian", 3),
    ("Arab", "Other", 4),
    ("Not stated", "Other", 0),
];

/// Postcodes that begin with the same two digits.
pub struct Area {
    pub prefix: u32,
    pub postcodes: u32,
    /// How many patients come from here.
    pub weight: u32,
    /// Weights of [`ETHNICITIES`].
    pub mix: [u32; ETHNICITIES.len()],
    /// Place in [`AGES`].
    pub ages: usize,
}

const fn area(prefix: u32, postcodes: u32, weight: u32, mix: [u32; ETHNICITIES.len()], ages: usize) -> Area {
    Area { prefix, postcodes, weight, mix, ages }
}

const CENTRE: [u32; 10] = [380, 170, 110, 60, 80, 50, 60, 20, 40, 30];
const HARBOUR: [u32; 10] = [220, 90, 330, 190, 30, 30, 20, 5, 65, 20];
const MILLS: [u32; 10] = [340, 60, 25, 25, 190, 290, 10, 5, 35, 20];
const SUBURB: [u32; 10] = [760, 90, 20, 15, 40, 15, 25, 10, 10, 15];
const UNIVERSITY: [u32; 10] = [490, 150, 35, 10, 70, 25, 130, 40, 30, 20];
const COUNTRY: [u32; 10] = [940, 35, 3, 2, 4, 2, 3, 1, 2, 8];

/// The city first, the country last.
pub const AREAS: [Area; 12] = [
    area(10, 45, 190, CENTRE, 0),
    area(11, 40, 170, HARBOUR, 0),
    area(12, 40, 150, MILLS, 1),
    area(14, 30, 90, UNIVERSITY, 0),
    area(20, 45, 140, SUBURB, 1),
    area(21, 45, 110, SUBURB, 1),
    area(25, 40, 80, SUBURB, 2),
    area(47, 60, 60, COUNTRY, 1),
    area(48, 60, 40, COUNTRY, 2),
    area(53, 70, 30, COUNTRY, 2),
    area(54, 70, 18, COUNTRY, 2),
    area(86, 80, 9, COUNTRY, 2),
];

/// A place where most patients have one illness.
pub struct Village {
    pub postcode: u32,
    /// Place in [`AREAS`].
    pub area: usize,
    /// Of a million patients, how many live here.
    pub per_million: u32,
    pub diagnosis: &'static str,
    /// How many of a hundred patients old enough for the illness have it.
    pub share: u32,
}

const fn village(postcode: u32, area: usize, per_million: u32, diagnosis: &'static str, share: u32) -> Village {
    Village { postcode, area, per_million, diagnosis, share }
}

/// From a mining town, seen in the smallest table, to hamlets that need hundreds of thousands of rows to be seen.
pub const VILLAGES: [Village; 9] = [
    village(53990, 9, 7000, "J60.0", 92),
    village(11995, 1, 5000, "B20.3", 85),
    village(48991, 8, 3500, "J61.0", 90),
    village(86990, 11, 1200, "F10.2", 88),
    village(54992, 10, 600, "T56.0", 97),
    village(47993, 7, 250, "J67.0", 95),
    village(86991, 11, 90, "A15.0", 97),
    village(54993, 10, 30, "F20.0", 97),
    village(86992, 11, 12, "C62.9", 97),
];

/// Ages of admitted women and men, as corners for `by_age`: a young, an even and an old population.
pub const AGES: [[&[(u32, u32)]; 2]; 3] = [
    [
        &[
            (0, 1300),
            (1, 150),
            (14, 60),
            (19, 160),
            (29, 420),
            (35, 360),
            (45, 170),
            (65, 230),
            (80, 300),
            (97, 9),
            (104, 0),
        ],
        &[(0, 1380), (1, 180), (14, 80), (25, 170), (40, 160), (55, 240), (70, 350), (80, 270), (95, 9), (102, 0)],
    ],
    [
        &[
            (0, 1000),
            (1, 120),
            (14, 60),
            (19, 90),
            (29, 300),
            (35, 260),
            (45, 160),
            (65, 300),
            (82, 440),
            (98, 9),
            (104, 0),
        ],
        &[(0, 1060), (1, 140), (14, 80), (25, 110), (40, 130), (55, 260), (74, 500), (82, 360), (96, 9), (102, 0)],
    ],
    [
        &[
            (0, 460),
            (1, 60),
            (14, 35),
            (19, 50),
            (29, 140),
            (35, 130),
            (45, 110),
            (65, 360),
            (83, 640),
            (98, 14),
            (104, 0),
        ],
        &[(0, 490), (1, 70), (14, 50), (25, 70), (40, 90), (55, 240), (75, 620), (83, 460), (96, 14), (102, 0)],
    ],
];

/// The oldest age in [`AGES`].
pub const OLDEST: u32 = 104;

pub const SEXES: [&str; 2] = ["Female", "Male"];

/// Name and group.
pub const MARITAL: [(&str, &str); 6] = [
    ("Single", "Without partner"),
    ("Married", "With partner"),
    ("Civil partnership", "With partner"),
    ("Separated", "Without partner"),
    ("Divorced", "Without partner"),
    ("Widowed", "Without partner"),
];

/// Up to which age the weights of [`MARITAL`] hold, for women and for men.
pub const MARITAL_BY_AGE: [(u32, [[u32; MARITAL.len()]; 2]); 9] = [
    (17, [[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]),
    (24, [[880, 95, 15, 6, 4, 0], [940, 48, 8, 3, 1, 0]]),
    (29, [[590, 350, 25, 20, 15, 0], [690, 265, 20, 15, 10, 0]]),
    (39, [[310, 560, 30, 35, 62, 3], [380, 515, 30, 30, 44, 1]]),
    (49, [[190, 600, 25, 40, 135, 10], [230, 595, 25, 35, 112, 3]]),
    (59, [[120, 610, 15, 35, 185, 35], [150, 630, 15, 35, 160, 10]]),
    (69, [[75, 590, 8, 22, 185, 120], [95, 680, 10, 25, 155, 35]]),
    (79, [[55, 460, 4, 11, 130, 340], [60, 720, 5, 15, 105, 95]]),
    (u32::MAX, [[50, 200, 1, 4, 65, 680], [40, 610, 2, 8, 60, 280]]),
];
