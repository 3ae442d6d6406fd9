//! What column names say, in English and, where they are frequent, German, French and Spanish words.
//!
//! A name is cut into words (`patientAge`, `PATIENT_AGE` and `patient age` are the same) and only whole words count:
//! `average` and `page` are not ages. Words that are written together or apart are the same too: `zipcode`.

use super::{Role, Topic};

/// Characters of a name that are looked at.
const LONGEST: usize = 200;
/// Words that a phrase may span.
const LONGEST_PHRASE: usize = 5;

/// A column's name, cut into words.
pub struct Name {
    /// All runs of words, written together.
    runs: Vec<String>,
    /// All words, written together, without figures.
    whole: String,
}

impl Name {
    pub fn new(name: &str) -> Name {
        let words = words(name);
        let mut runs = Vec::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + LONGEST_PHRASE) {
                runs.push(words[start..end].concat());
            }
        }
        let figures = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
        Name { runs, whole: words.iter().filter(|word| !figures(word)).map(String::as_str).collect() }
    }

    /// Whether one of the phrases, separated by commas, is in the name: `=phrase` only as all of it, `*ending` as the
    /// end of a word (which German composes), any other in the singular or plural.
    fn has(&self, phrases: &str) -> bool {
        phrases.split(',').map(str::trim).any(|phrase| match phrase.as_bytes().first() {
            Some(b'=') => same(&self.whole, &phrase[1..]),
            Some(b'*') => self.runs.iter().any(|run| run.len() > phrase.len() && run.ends_with(&phrase[1..])),
            _ => self.runs.iter().any(|run| same(run, phrase) || same(singular(run), phrase)),
        })
    }
}

/// Whether a run of words is the phrase, but for the phrase's blanks.
fn same(run: &str, phrase: &str) -> bool {
    run.bytes().eq(phrase.bytes().filter(|&byte| byte != b' '))
}

/// Without the plural's ending. Short words and those of time keep theirs: `years` are a duration, not a date.
fn singular(run: &str) -> &str {
    if run.len() < 3 || matches!(run, "years" | "days" | "months" | "dos" | "gas") {
        return run;
    }
    run.strip_suffix("es").filter(|stem| stem.ends_with(['s', 'x'])).or(run.strip_suffix('s')).unwrap_or(run)
}

/// Lower-case words without accents. A word ends at a blank or sign, before a capital in `patientAge` and the last
/// capital in `IPAddress`, and between letters and figures.
fn words(name: &str) -> Vec<String> {
    let signs: Vec<char> = name.chars().take(LONGEST).collect();
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    for (place, &sign) in signs.iter().enumerate() {
        let combining = ('\u{300}'..='\u{36F}').contains(&sign);
        if !sign.is_alphanumeric() && !combining {
            inside = false;
            continue;
        }
        let previous = place.checked_sub(1).and_then(|place| signs.get(place)).copied().unwrap_or(' ');
        let next_is_small = signs.get(place + 1).is_some_and(|next| next.is_lowercase());
        let hump = sign.is_uppercase() && (previous.is_lowercase() || (previous.is_uppercase() && next_is_small));
        let figure = !combining && sign.is_numeric() != previous.is_numeric();
        if !inside || hump || figure {
            words.push(String::new());
            inside = true;
        }
        if let Some(word) = words.last_mut() {
            plain(sign, word);
        }
    }
    // What is left of "patient's".
    words.retain(|word| word != "s" && !word.is_empty());
    words
}

/// Appends a letter in small basic letters.
fn plain(sign: char, word: &mut String) {
    // An umlaut as a letter and two dots after it.
    if sign == '\u{308}' && word.ends_with(['a', 'o', 'u']) {
        return word.push('e');
    }
    for sign in sign.to_lowercase() {
        match sign {
            'ä' | 'æ' => word.push_str("ae"),
            'ö' | 'œ' => word.push_str("oe"),
            'ü' => word.push_str("ue"),
            'ß' => word.push_str("ss"),
            'à' | 'á' | 'â' | 'ã' | 'å' => word.push('a'),
            'è' | 'é' | 'ê' | 'ë' => word.push('e'),
            'ì' | 'í' | 'î' | 'ï' => word.push('i'),
            'ò' | 'ó' | 'ô' | 'õ' => word.push('o'),
            'ù' | 'ú' | 'û' => word.push('u'),
            'ç' => word.push('c'),
            'ñ' => word.push('n'),
            '\u{300}'..='\u{36F}' => {}
            other => word.push(other),
        }
    }
}

/// Names that say a number, a name or a text without saying whose; the values decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weak {
    Id,
    Number,
    Name,
    Note,
}

/// Whether the name says how many there are of something, and not which.
pub fn is_count(name: &Name) -> bool {
    name.has("number of, num of, no of, nr of, count, anzahl, nombre de, nombre d, cantidad, total")
}

pub fn weak(name: &Name) -> Option<Weak> {
    const NOTES: &str = "note, comment, remark, free text, text, description, narrative, report, letter, anamnesis, \
        history, bemerkung, kommentar, notiz, freitext, anmerkung, beschreibung, anamnese, befund, bericht, remarque, \
        commentaire, texte, observacion, observaciones, comentario, nota, texto";
    const NUMBERS: &str = "number, no, nr, num, nummer, numero, code, index, reference, ref, *nummer";
    if name.has(NOTES) {
        Some(Weak::Note)
    } else if name.has("id, ident, identifier, identification, key, uuid, guid, hash, token, kennung, identifiant") {
        Some(Weak::Id)
    } else if name.has(NUMBERS) && !is_count(name) {
        Some(Weak::Number)
    } else if name.has("name, nom, nombre, *name") && !is_count(name) {
        Some(Weak::Name)
    } else {
        None
    }
}

/// Column names that say what a column is about.
pub struct Rule {
    pub topic: Topic,
    pub role: Role,
    /// With its article, for the reason.
    pub what: &'static str,
    /// Values of such a column have figures in them.
    pub digits: bool,
    phrases: &'static str,
}

impl Rule {
    pub fn fits(&self, name: &Name) -> bool {
        name.has(self.phrases)
    }
}

/// Something written in words.
const fn words_of(topic: Topic, role: Role, what: &'static str, phrases: &'static str) -> Rule {
    Rule { topic, role, what, digits: false, phrases }
}

/// A number of one person, which has figures.
const fn number_of(topic: Topic, what: &'static str, phrases: &'static str) -> Rule {
    Rule { topic, role: Role::Identifier, what, digits: true, phrases }
}

use Role::{Identifier, Quasi, Sensitive};

/// The first that fits is taken, so a narrower meaning stands before a wider: the date of a diagnosis is a date, the
/// name of a drug a treatment.
pub static RULES: [Rule; 44] = [
    // Would be taken for something else below.
    words_of(
        Topic::Other,
        Sensitive,
        "something intimate",
        "sexual, sexuality, sexual orientation, sex life, sex partner, sexual history, sexualitaet, sexualite, \
         sexualidad, sexuelle orientierung",
    ),
    words_of(
        Topic::Income,
        Sensitive,
        "a person's income or means",
        "account balance, balance, credit amount, credit limit, credit score, loan amount, kontostand, guthaben, \
         solde",
    ),
    // The direct identifiers of HIPAA Safe Harbor.
    words_of(
        Topic::Name,
        Identifier,
        "a person's name",
        "=name, =names, first name, last name, surname, forename, full name, given name, family name, maiden name, \
         middle name, patient name, person name, client name, customer name, employee name, student name, \
         member name, subject name, mother name, father name, spouse name, child name, guardian name, doctor name, \
         physician name, legal name, preferred name, nickname, alias, initials, fname, lname, next of kin, kin, \
         contact person, emergency contact, =patient, =person, nachname, vorname, familienname, geburtsname, \
         zuname, rufname, patientenname, =nom, prenom, nom de famille, nom patient, nom du patient, \
         nom de naissance, nom usuel, =nombre, apellido, nombre completo, nombre del paciente, nombre paciente, \
         nombre y apellidos",
    ),
    words_of(
        Topic::Email,
        Identifier,
        "an e-mail address",
        "email, mail address, =mail, email adresse, mailadresse, courriel, adresse mail, correo, \
         correo electronico, adresse electronique",
    ),
    number_of(Topic::Fax, "a fax number", "fax, telefax, fax number, faxnummer, facsimile, telecopie"),
    number_of(
        Topic::Phone,
        "a telephone number",
        "phone, telephone, phone number, phone no, tel, mobile, mobile number, cell phone, cellphone, =cell, pager, \
         landline, whatsapp, telefon, telefonnummer, tel nr, telnr, handy, handynummer, mobil, mobilnummer, \
         mobiltelefon, rufnummer, festnetz, numero de telephone, num tel, telefono, movil, celular",
    ),
    words_of(
        Topic::Url,
        Identifier,
        "a web address",
        "url, uri, website, web site, web page, webpage, homepage, web address, =web, =link, hyperlink, \
         internetadresse, webseite, site web, pagina web, twitter, facebook, instagram, linkedin, social media",
    ),
    number_of(
        Topic::IpAddress,
        "an address of a computer",
        "ip, ip address, ip addr, ipv, ip adresse, adresse ip, direccion ip",
    ),
    number_of(
        Topic::SocialSecurity,
        "a social security or other national number",
        "ssn, social security, social security number, social insurance, national insurance, nino, national id, \
         national identity, national identification, tax id, tax number, =taxpayer, taxpayer id, tin, itin, \
         sozialversicherungsnummer, sozialversicherung, svnr, sv nummer, sv nr, ahv, rentenversicherungsnummer, \
         steuer id, steuernummer, steueridentifikationsnummer, securite sociale, insee, =nir, seguridad social, \
         dni, =nie, nif, curp, cpf, bsn, pesel, aadhaar, personnummer",
    ),
    number_of(
        Topic::MedicalRecordNumber,
        "a medical record number",
        "mrn, medical record, medical record number, medical number, hospital number, nhs number, nhs no, =nhs, \
         chart number, chart no, encounter id, encounter number, visit id, visit number, admission id, \
         admission number, hadm id, case number, case no, accession number, specimen id, specimen number, \
         aktennummer, krankenaktennummer, fallnummer, fall nr, fall id, aufnahmenummer, ipp, nda, dossier medical, \
         numero de dossier, num dossier, historia clinica, nhc, expediente",
    ),
    number_of(
        Topic::HealthPlanNumber,
        "a health insurance number",
        "health plan, health plan number, =beneficiary, beneficiary id, beneficiary number, health insurance number, \
         insurance number, insurance no, insurance id, insurance policy, policy number, policy no, policy id, \
         =policyholder, member id, member number, subscriber id, subscriber number, medicare number, medicare id, \
         medicaid number, medicaid id, hicn, mbi, kvnr, kv nummer, versichertennummer, versicherungsnummer, \
         krankenversicherungsnummer, krankenkassennummer, egk, carte vitale, numero assure, mutuelle, \
         numero de afiliado, tarjeta sanitaria",
    ),
    number_of(
        Topic::Vehicle,
        "a vehicle's number or plate",
        "vin, license plate, licence plate, number plate, plate number, plate no, =plate, registration plate, \
         vehicle id, vehicle identifier, vehicle identification, vehicle number, vehicle serial, \
         vehicle registration, =vehicle, car registration, kennzeichen, kfz kennzeichen, autokennzeichen, \
         fahrgestellnummer, fahrzeugnummer, immatriculation, plaque, matricula, bastidor",
    ),
    number_of(
        Topic::Certificate,
        "a certificate or license number",
        "certificate, certificate number, license, licence, license number, licence number, driver license, \
         drivers license, driver licence, passport, permit, npi, dea number, medical license, identity card, \
         id card, ausweis, ausweisnummer, personalausweis, fuehrerschein, fuehrerscheinnummer, reisepass, \
         passnummer, lizenznummer, approbationsnummer, passeport, permis, carte d identite, pasaporte, licencia, \
         carnet de conducir",
    ),
    number_of(
        Topic::Device,
        "a device's number",
        "device id, device identifier, device number, device serial, device serial number, =device, implant id, \
         serial number, serial no, serial, sn, imei, imsi, meid, mac, mac address, udi, advertising id, idfa, gaid, \
         cookie, cookie id, geraetenummer, geraete id, geraeteid, seriennummer, numero de serie, dispositivo",
    ),
    number_of(
        Topic::Account,
        "an account number",
        "account, account number, account no, acct, acct no, iban, bank account, routing number, credit card, \
         card number, card no, debit card, username, user name, login, kontonummer, konto, konto nr, \
         bankverbindung, kreditkarte, kreditkartennummer, benutzername, compte, numero de compte, carte bancaire, \
         cuenta, numero de cuenta, tarjeta",
    ),
    words_of(
        Topic::Biometric,
        Identifier,
        "a biometric mark",
        "biometric, biometry, fingerprint, finger print, retina scan, retinal scan, iris scan, voice print, \
         voiceprint, voice recording, face id, faceprint, palm print, handprint, dna, dna sequence, \
         genome sequence, signature, fingerabdruck, biometrie, stimmabdruck, unterschrift, empreinte digitale, \
         empreinte, huella dactilar, huella",
    ),
    words_of(
        Topic::Photo,
        Identifier,
        "a picture of a person",
        "photo, photograph, photo file, image, picture, portrait, headshot, selfie, avatar, face image, foto, \
         lichtbild, passbild, bild, imagen, fotografia, photographie",
    ),
    words_of(
        Topic::Address,
        Identifier,
        "an address or an exact place",
        "address, addr, street, street name, house number, house no, apartment, po box, latitude, longitude, lat, \
         lon, lng, gps, coordinate, geolocation, geocode, adresse, anschrift, strasse, hausnummer, rue, voie, \
         direccion, domicilio, calle, *strasse",
    ),
    number_of(
        Topic::RecordNumber,
        "the number of a person or record",
        "patient id, pat id, patid, patient identifier, patient number, patient no, patient nr, pat nr, \
         patient code, patient key, pid, pt id, ptid, person id, person number, personal number, =participant, \
         participant id, subject id, subject number, =subject, subj id, =respondent, respondent id, \
         record id, record number, record no, record nr, =record, case id, customer id, customer number, client id, \
         client number, employee id, employee number, staff id, student id, student number, user id, study id, \
         study number, row id, row number, rowid, =row, uuid, guid, patientennummer, patienten id, patienten nr, \
         patientenid, patnr, personalnummer, personen id, kundennummer, kunden id, matrikelnummer, laufnummer, \
         lfd nr, laufende nummer, pseudonym, numero patient, numero de patient, id patient, id paciente, \
         numero de paciente, identifiant patient, household id",
    ),
    // What others may know. Dates and ages first: the age at a diagnosis is an age.
    words_of(
        Topic::BirthDate,
        Quasi,
        "a date of birth",
        "dob, date of birth, birth date, birthdate, birthday, birth day, birth year, year of birth, yob, \
         birth month, month of birth, =birth, =born, birth dt, geburtsdatum, geb datum, gebdatum, gebdat, =geb, \
         geburtstag, geburtsjahr, geburtsmonat, date de naissance, date naissance, annee de naissance, ddn, \
         =naissance, fecha de nacimiento, fecha nacimiento, fecha nac, =nacimiento, ano de nacimiento",
    ),
    words_of(
        Topic::Age,
        Quasi,
        "an age",
        "age, age group, years of age, alter, altersgruppe, altersklasse, lebensalter, edad, grupo de edad, \
         tranche d age, classe d age",
    ),
    words_of(
        Topic::Date,
        Quasi,
        "a date",
        "date, datetime, timestamp, time stamp, dod, date of death, doa, dos, admit dt, disch dt, admittime, \
         dischtime, admission time, discharge time, time of death, =day, =month, =week, =quarter, =year, year of, \
         admission year, discharge year, diagnosis year, death year, visit year, admission month, discharge month, \
         month of death, admission day, discharge day, datum, *datum, =jahr, *jahr, =monat, =tag, zeitpunkt, \
         zeitstempel, =annee, =mois, =jour, fecha, =ano, =mes, =dia",
    ),
    words_of(
        Topic::Postcode,
        Quasi,
        "a postcode",
        "zip, zip code, zip plus, postcode, postal code, postal, pin code, eircode, plz, postleitzahl, code postal, \
         =cp, codigo postal, cod postal",
    ),
    words_of(
        Topic::Nationality,
        Quasi,
        "a nationality, country or language",
        "nationality, citizenship, citizen, native country, country of birth, birth country, country of origin, \
         country, immigrant, immigration, mother tongue, native language, language, staatsangehoerigkeit, \
         staatsbuergerschaft, nationalitaet, geburtsland, herkunftsland, =land, muttersprache, sprache, \
         nationalite, pays, pays de naissance, langue, nacionalidad, pais, pais de nacimiento, idioma, lengua",
    ),
    words_of(
        Topic::Address,
        Quasi,
        "a place where people live or were born",
        "city, town, village, county, district, municipality, parish, precinct, borough, neighborhood, \
         neighbourhood, census tract, tract, block group, fips, place of birth, birthplace, residence, province, \
         =state, us state, state of residence, home state, state code, =ort, wohnort, geburtsort, stadt, gemeinde, \
         kreis, landkreis, bezirk, bundesland, kanton, ortsteil, stadtteil, ville, commune, departement, \
         lieu de naissance, ciudad, localidad, municipio, provincia, comunidad autonoma, barrio, \
         lugar de nacimiento",
    ),
    words_of(
        Topic::Sex,
        Quasi,
        "a person's sex",
        "sex, gender, salutation, geschlecht, geschl, anrede, sexe, civilite, sexo, genero",
    ),
    words_of(
        Topic::Ethnicity,
        Quasi,
        "a race or ethnic group",
        "race, ethnicity, ethnic, ethnic group, hispanic, hispanic origin, ancestry, tribe, caste, skin color, \
         skin colour, indigenous, ethnie, ethnizitaet, ethnische herkunft, herkunft, migrationshintergrund, \
         hautfarbe, origine ethnique, etnia, raza, origen etnico",
    ),
    words_of(
        Topic::MaritalStatus,
        Quasi,
        "a marital or family status",
        "marital, marital status, marital stat, married, civil status, relationship, familienstand, zivilstand, \
         beziehungsstatus, etat civil, situation matrimoniale, situation familiale, statut marital, estado civil",
    ),
    words_of(
        Topic::Education,
        Quasi,
        "an education",
        "education, education num, educ, edu, degree, school, schooling, highest qualification, qualification, \
         university, college, bildung, bildungsgrad, bildungsabschluss, schulabschluss, abschluss, ausbildung, \
         diplome, niveau d etudes, niveau etudes, scolarite, educacion, nivel de estudios, estudios, escolaridad",
    ),
    // What nobody should learn.
    words_of(
        Topic::Religion,
        Sensitive,
        "a belief",
        "religion, religious, faith, church, denomination, creed, konfession, religionszugehoerigkeit, confession",
    ),
    words_of(
        Topic::Other,
        Sensitive,
        "an opinion or membership",
        "political, politics, political party, political opinion, party affiliation, vote, voted, union member, \
         trade union, gewerkschaft, partei, parteizugehoerigkeit, syndicat, sindicato",
    ),
    words_of(
        Topic::Other,
        Sensitive,
        "something about crimes or their victims",
        "crime, criminal, conviction, convicted, arrest, offence, offense, sentence, prison, violence, abuse, \
         victim, vorstrafe, straftat, condamnation, delito",
    ),
    words_of(
        Topic::Cost,
        Sensitive,
        "an amount of money",
        "cost, charge, price, bill, billing, billing amount, amount, expense, expenditure, fee, payment, copay, \
         claim, reimbursement, kosten, behandlungskosten, betrag, preis, rechnung, rechnungsbetrag, gebuehr, cout, \
         montant, prix, facture, depense, coste, costo, precio, importe, factura, gasto",
    ),
    words_of(
        Topic::Income,
        Sensitive,
        "a person's income or means",
        "income, salary, salary class, wage, earning, pay, payroll, bonus, pension, capital gain, capital loss, \
         net worth, wealth, asset, debt, saving, saving account, checking account, finance, financial, loan, \
         credit, einkommen, einkommensklasse, nettoeinkommen, bruttoeinkommen, gehalt, gehaltsklasse, lohn, \
         verdienst, vermoegen, schulden, rente, salaire, revenu, patrimoine, ingreso, ingresos, salario, sueldo, \
         renta, patrimonio",
    ),
    words_of(
        Topic::Other,
        Sensitive,
        "a judgement about a person",
        "risk, risk class, credit rating, solvency, bonitaet, schufa, =grade, iq, performance rating",
    ),
    // A job is known to colleagues and neighbours, and tables such as Adult are linked by it.
    words_of(
        Topic::Occupation,
        Quasi,
        "a person's work",
        "occupation, occupation code, job, job title, profession, employer, company, employment, employment status, \
         workclass, work class, class of worker, industry, industry code, hours per week, working hours, \
         work hours, military, veteran, beruf, berufsgruppe, taetigkeit, arbeitgeber, branche, beschaeftigung, \
         arbeitszeit, metier, emploi, employeur, ocupacion, profesion, trabajo, empleo",
    ),
    // Treatments before diagnoses: a drug for a disease is a treatment.
    words_of(
        Topic::Treatment,
        Sensitive,
        "a treatment",
        "treatment, therapy, medication, medicine, drug, drug name, prescription, procedure, surgery, operation, \
         intervention, dose, dosage, vaccine, vaccination, vaccinated, cpt, hcpcs, atc, ndc, rx, regimen, \
         behandlung, therapie, medikament, medikation, arzneimittel, eingriff, ops, ops code, impfung, impfstoff, \
         dosis, traitement, medicament, vaccin, tratamiento, medicamento, medicacion, vacuna, terapia, \
         procedimiento, cirugia",
    ),
    words_of(
        Topic::Diagnosis,
        Sensitive,
        "a diagnosis or a state of health",
        "diagnosis, diagnoses, diagnosed, diag, dx, icd, icd code, snomed, drg, disease, condition, illness, \
         sickness, disorder, syndrome, symptom, complaint, chief complaint, comorbidity, comorbidities, health, \
         health status, medical, hiv, aids, std, sti, cancer, tumor, tumour, stroke, asthma, diabetes, diabetic, \
         hypertension, allergy, allergies, infection, infected, covid, pregnancy, pregnant, abortion, disability, \
         disabled, impairment, mental, depression, anxiety, suicide, addiction, smoker, smoking, tobacco, alcohol, \
         substance, cause of death, genotype, mutation, gene, genetic, test result, lab result, biopsy, pathology, \
         prognosis, diagnose, hauptdiagnose, nebendiagnose, krankheit, erkrankung, vorerkrankung, beschwerden, \
         gesundheit, gesundheitszustand, behinderung, schwangerschaft, todesursache, krebs, raucher, allergie, \
         diagnostic, maladie, pathologie, symptome, sante, grossesse, handicap, cause de deces, diagnostico, \
         enfermedad, sintoma, salud, embarazo, discapacidad, patologia, fumador",
    ),
    words_of(
        Topic::Ward,
        Quasi,
        "a place of treatment or who treats there",
        "ward, department, dept, clinic, hospital, hospital name, facility, care unit, icu, =unit, room, bed, \
         specialty, speciality, physician, doctor, provider, surgeon, nurse, attending, practitioner, station, \
         abteilung, klinik, krankenhaus, fachabteilung, zimmer, arzt, hausarzt, behandler, service, hopital, \
         clinique, chambre, medecin, servicio, planta, clinica, habitacion, medico",
    ),
    words_of(
        Topic::Other,
        Quasi,
        "a person's family or household",
        "children, child, kids, family, family size, family history, household, householder, household size, \
         parent, sibling, spouse, dependent, dependents, kinder, kinderzahl, haushalt, haushaltsgroesse, familie, \
         geschwister, eltern, enfant, menage, foyer, famille, hijo, hijos, hogar, familia",
    ),
    words_of(
        Topic::Other,
        Quasi,
        "a person's way of living",
        "housing, home ownership, homeowner, dwelling, tenure, own house, car owner, hobby, hobbies, wohnung, \
         wohnsituation, wohnform, logement, vivienda",
    ),
    words_of(
        Topic::Other,
        Quasi,
        "a visible trait of a person",
        "height, weight, body height, body weight, birth weight, bmi, body mass index, eye color, eye colour, \
         hair color, hair colour, blood type, blood group, handedness, shoe size, koerpergroesse, groesse, \
         koerpergewicht, gewicht, augenfarbe, haarfarbe, blutgruppe, taille, poids, groupe sanguin, altura, peso, \
         estatura, grupo sanguineo",
    ),
    // Words that mean something else beside any of the above: a salary per year, the location of a tumour.
    words_of(Topic::Date, Quasi, "a date", "year, jahr, annee, ano"),
    words_of(
        Topic::Address,
        Quasi,
        "a place",
        "place, location, region, area, geo, geography, lieu, endroit, lugar, gegend",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        let cases = [
            ("patient_age", "patient age"),
            ("patientAge", "patient age"),
            ("PatientID", "patient id"),
            ("IPAddress", "ip address"),
            ("e-Mail", "e mail"),
            ("DATE OF BIRTH", "date of birth"),
            ("address2", "address 2"),
            ("ICD10Code", "icd 10 code"),
            ("Patient's name", "patient name"),
            ("Straße", "strasse"),
            ("Âge", "age"),
            ("A\u{302}ge", "age"),
            ("Staatsangeho\u{308}rigkeit", "staatsangehoerigkeit"),
            ("prénom", "prenom"),
            ("  ", ""),
            ("", ""),
            ("…", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn phrases_are_plain() {
        for rule in &RULES {
            for phrase in rule.phrases.split(',') {
                let phrase = phrase.trim();
                let bare = phrase.trim_start_matches(['=', '*']);
                assert!(
                    !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' '),
                    "{phrase}"
                );
                assert!(bare.split(' ').count() <= LONGEST_PHRASE && !bare.contains("  "), "{phrase}");
            }
        }
    }

    #[test]
    fn endless_names_cost_little() {
        assert!(Name::new(&"a b ".repeat(1_000_000)).runs.len() < LONGEST * LONGEST_PHRASE);
    }
}
